import { afterEach, describe, expect, it } from 'vitest';
import { poll, Tab } from './testing/tab.ts';

const [ada, ben, carla] = ['12025550101', '12025550102', '12025550103'] as const;

let tab: Tab;
afterEach(() => tab[Symbol.asyncDispose]());

const picture = `const id = require('WAWebWidFactory').createWid(a[0]);
  const { requestProfilePicFromServer } = require('WAWebContactProfilePicThumbBridge');
  const requested = requestProfilePicFromServer({ id });
  const answer = await Promise.race([requested, new Promise((resolve) => setTimeout(resolve, 300, 'nothing'))]);
  if (answer === 'nothing') return answer;
  const { eurl, tag, stale, eurlStale } = answer; return { eurl, tag, stale, eurlStale };`;

describe('a picture that is refused', () => {
  it('is an error in an older build', async () => {
    tab = await Tab.linked(ada, { build: '2026-01' });
    expect(await tab.fail(picture, `${ben}@c.us`)).toMatchObject({ name: 'ServerStatusCodeError', status: 404 });
    await tab.phones.profile(ben, { pictureCode: 429 });
    expect(await tab.fail(picture, `${ben}@c.us`)).toMatchObject({ status: 429, statusCode: 429 });
  });

  it('is a response that shows the reason in a newer build', async () => {
    tab = await Tab.linked(ada, { build: '2026-04' });
    const none = { tag: '', stale: false, eurlStale: false };
    expect(await tab.run(picture, `${ben}@c.us`)).toEqual(none);
    await tab.phones.profile(ben, { picture: 'private' });
    expect(await tab.run(picture, `${ben}@c.us`)).toEqual(none);
    for (const pictureCode of [423, 429] as const) {
      await tab.phones.profile(ben, { pictureCode });
      expect(await tab.run(picture, `${ben}@c.us`)).toEqual({ stale: true });
    }
    await tab.phones.profile(ben, { pictureCode: 500 });
    expect(await tab.run(picture, `${ben}@c.us`)).toEqual({ eurlStale: false });
    await tab.phones.profile(ben, { pictureCode: null, picture: 'present' });
    const found = { eurl: expect.stringContaining('https://pps.whatsapp.net/'), stale: false, eurlStale: false };
    expect(await tab.run(picture, `${ben}@c.us`)).toMatchObject(found);
    expect(
      await tab.fail(`await require('WAWebContactProfilePicThumbBridge').requestProfilePicFromServer('x')`),
    ).toMatchObject({
      name: 'TypeError',
    });
  });
});

it('a picture can be requested by one identity only', async () => {
  tab = await Tab.open({ build: '2026-07', settings: { lazyModules: false } });
  await tab.phones.profile(ben, { picture: 'present' });
  await tab.link(ada);
  const { lid } = await tab.phones.account(ben);
  expect(await tab.run(picture, lid)).toMatchObject({ tag: lid });
  expect(await tab.run(picture, `${ben}@c.us`)).toBe('nothing');
});

it.each([
  ['2026-01', ['Ben Okafor', 'Ben Okafor']],
  ['2026-07', [undefined, undefined]],
] as const)('in build %s the names on the contact by number are %j', async (build, names) => {
  tab = await Tab.linked(ada, { build });
  const { lid } = await tab.phones.account(ben);
  const read = `const { name, pushname } = require('WAWebContactCollection').ContactCollection.get(a[0]); return [name, pushname]`;
  expect(await tab.run(read, lid)).toEqual(['Ben Okafor', 'Ben Okafor']);
  expect(await tab.run<unknown[]>(read, `${ben}@c.us`)).toEqual(names.map((name) => name ?? null));
});

it('a contact gets its name on both rows, and is deleted only by one that has it', async () => {
  tab = await Tab.linked(ada);
  const { lid } = await tab.phones.account(ben);
  const names = `return a.map((id) => require('WAWebContactCollection').ContactCollection.get(id).name ?? null)`;
  const shown = () => tab.run(names, `${ben}@c.us`, lid);
  const saved = async () => (await tab.phones.savedContacts(ada)).find(({ number }) => number === ben)?.name;
  const remove = `const phoneNumber = require('WAWebWidFactory').createWid(a[0]);
    await require('WAWebDeleteContactAction').deleteContactAction({ phoneNumber })`;
  const save = `await require('WAWebSaveContactAction').saveContactAction(a[0])`;
  await tab.run(remove, `${ben}@c.us`);
  expect([await shown(), await saved()]).toEqual([[null, 'Ben Okafor'], 'Ben Okafor']);
  const naming = { firstName: 'Benny', lastName: '', phoneNumber: ben, syncToAddressbook: false };
  await tab.phones.refuseRequests(ada, { requests: ['set-contact'], code: 429 });
  expect(await tab.fail(save, naming)).toMatchObject({ status: 429 });
  await tab.phones.refuseRequests(ada, { requests: ['set-contact'], code: null });
  // Neither a number nor a user name.
  await tab.run(save, { ...naming, phoneNumber: undefined });
  expect([await shown(), await saved()]).toEqual([[null, 'Ben Okafor'], 'Ben Okafor']);
  await tab.run(save, naming);
  await poll(shown).toEqual(['Benny', 'Benny']);
  await tab.run(remove, `${ben}@c.us`);
  await poll(shown).toEqual([null, null]);
  expect(await saved()).toBeUndefined();
});

it('a contact may be one of a device, for which look-ups throw', async () => {
  tab = await Tab.linked(ada);
  const alternate = `const wids = require('WAWebCollections').Contact.map(({ id }) => id);
    const { getAlternateUserWid } = require('WAWebApiContact');
    return wids.flatMap((wid) => { try { getAlternateUserWid(wid); return []; } catch (e) { return [String(wid), e.message]; } })`;
  const message = 'getAlternateUserWid - Invalid get call using deviceWid';
  expect(await tab.run(alternate)).toEqual([`${ada}:1@c.us`, message]);
});

it('an error of the network may have a minified name', async () => {
  tab = await Tab.open();
  const group = await tab.phones.createGroup(carla, { subject: 'Trip', participants: [ada] });
  await tab.link(ada);
  const rename = `await require('WAWebGroupModifyInfoJob').setGroupSubject(a[0], 'Mine')`;
  expect(await tab.fail(rename, group.id)).toMatchObject({ name: 'e', status: 403, statusCode: 403 });
});

it('the account is shown as available while its user is active', async () => {
  tab = await Tab.linked(ada, { settings: { idleMs: 300, awayMs: 100 } });
  const isAvailable = `return require('WAWebStreamModel').Stream.available`;
  const shown = async () => (await tab.phones.account(ada)).devices.map(({ presence }) => presence);
  await poll(() => tab.run(isAvailable)).toBe(false);
  await poll(shown).toEqual(['unavailable']);
  await tab.run(`Object.defineProperty(document, 'hasFocus', { value: () => true });
    document.dispatchEvent(new Event('mousemove', { bubbles: true }))`);
  await poll(shown).toEqual(['available']);
  await poll(shown).toEqual(['unavailable']);
});
