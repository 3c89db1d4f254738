import { sendText } from '@chat-web/host';
import { ADA, BEN } from '@chat-web/testing';
import type { EventLog } from '@chat-web/testing/stack';
import { expectRefused, sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const HIDDEN = { number: '12025550188', name: 'Hidden Harry', lid: '81604523377188', hiddenNumber: true };
const TWINS = ['12025550186', '12025550187'].map(
  (number) => ({ number, name: 'A twin', lid: `81604523377${number.slice(-3)}`, addressing: 'lid' }) as const,
);
const SHY = { number: '12025550189', name: 'Shy Shirley', lid: '81604523377189', addressing: 'lid' } as const;

describe('people that the network knows by two ids', () => {
  const stack = sharedStack();
  let events: EventLog;
  let groupId: string;
  beforeAll(async () => {
    const { phones } = stack;
    for (const person of [HIDDEN, SHY, ...TWINS]) await phones.addAccount(person);
    await phones.profile(HIDDEN.number, { picture: 'present' });
    await phones.contacts(ADA, { save: [{ number: HIDDEN.number, name: 'Harry' }] });
    const group = await phones.createGroup(SHY.number, {
      subject: 'A group',
      participants: [ADA, HIDDEN.number, ...TWINS.map(({ number }) => number)],
    });
    groupId = group.id;
    await stack.linkLongAgo('main', ADA);
    events = await stack.listen('main');
  });

  it('are listed by their hidden id where their number is not disclosed, with name and picture', async () => {
    const contacts = await stack.client.listContacts({ id: 'main' });
    const id = `${HIDDEN.lid}@lid`;
    const harry = { id, lid: id, name: 'Harry', number: '' };
    expect(contacts.find((contact) => contact.lid === id)).toMatchObject(harry);
    expect(await stack.client.getContact({ id: 'main', contactId: id })).toMatchObject(harry);
    const picture = await stack.client.getPicture({ id: 'main', contactId: id });
    expect(picture?.mimeType).toBe('image/jpeg');
    await picture?.data.cancel();
  });

  it('are listed once, with the name from one of their two rows', async () => {
    const contacts = await stack.client.listContacts({ id: 'main' });
    expect(contacts.filter(({ name }) => name === 'Ben Okafor')).toHaveLength(1);
    expect(contacts.filter(({ number }) => number === BEN)).toMatchObject([{ id: `${BEN}@c.us`, name: 'Ben Okafor' }]);
  });

  it('are found by either id: from memory, or by one request of each kind, rate limited', async () => {
    const { client, phones } = stack;
    const stella = { number: '12025550191', name: 'Strange Stella', lid: '81604523377191' };
    const sven = { number: '12025550193', name: 'Strange Sven', lid: '81604523377193' };
    for (const stranger of [stella, sven]) await phones.addAccount(stranger);
    const [harry, lidOfSven] = [`${HIDDEN.lid}@lid`, `${sven.lid}@lid`];
    const ofSven = { id: lidOfSven, number: sven.number, lid: lidOfSven };
    const resolve = (...ids: string[]) => client.resolveContacts({ id: 'main', ids });
    const before = (await phones.account(ADA)).lookUps.length;
    const lookUps = async () => (await phones.account(ADA)).lookUps.slice(before).map(({ jid }) => jid);
    const { lid: lidOfBen } = await phones.account(BEN);
    const ofBen = { number: BEN, lid: lidOfBen };
    expect(await resolve(BEN, lidOfBen)).toEqual({
      contacts: [
        { id: `${BEN}@c.us`, ...ofBen },
        { id: lidOfBen, ...ofBen },
      ],
    });
    expect(await lookUps()).toEqual([]);
    expect(await resolve(lidOfSven, '12025550192', harry, `+${stella.number}`, '999999@lid', BEN)).toEqual({
      contacts: [
        ofSven,
        { id: '12025550192@c.us', number: null, lid: null },
        { id: harry, number: null, lid: harry },
        { id: `${stella.number}@c.us`, number: stella.number, lid: `${stella.lid}@lid` },
        // The network does not resolve this one.
        { id: '999999@lid', lid: '999999@lid' },
        { id: `${BEN}@c.us`, ...ofBen },
      ],
    });
    const asked = [lidOfSven, harry, '999999@lid', '+12025550192', `+${stella.number}`];
    expect((await lookUps()).sort()).toEqual(asked.sort());
    // The page remembers the results for hidden ids.
    expect(await resolve(lidOfSven)).toEqual({ contacts: [ofSven] });
    const soon = resolve(harry);
    await expect(soon).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
    await expect(client.numbersExist({ id: 'main', numbers: [BEN] })).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(resolve()).rejects.toMatchObject({ code: 'invalid_request', issues: [{ path: 'ids' }] });
    await expect(resolve('nobody')).rejects.toMatchObject({ code: 'invalid_request', issues: [{ path: 'ids.0' }] });
  });

  it('have their number in messages once it was looked up, and their hidden id if it is not disclosed', async () => {
    await stack.phones.send(SHY.number, { to: groupId, body: 'from Shirley' });
    expect(await events.until('message', ({ body }) => body === 'from Shirley')).toMatchObject({
      author: `${SHY.number}@c.us`,
    });
    await stack.phones.send(HIDDEN.number, { to: groupId, body: 'from Harry' });
    expect(await events.until('message', ({ body }) => body === 'from Harry')).toMatchObject({
      author: `${HIDDEN.lid}@lid`,
    });
    await stack.phones.send(BEN, { to: ADA, body: 'about two', mentions: [SHY.number] });
    expect(await events.until('message', ({ body }) => body === 'about two')).toMatchObject({
      mentionedIds: [`${SHY.number}@c.us`],
    });
    const twins = TWINS.map(({ number }) => number);
    await stack.phones.send(SHY.number, { to: groupId, body: 'about twins', mentions: twins });
    expect(await events.until('message', ({ body }) => body === 'about twins')).toMatchObject({
      mentionedIds: twins.map((number) => `${number}@c.us`),
    });
  });

  it('are looked up once before the first message to a new number', async () => {
    await stack.phones.addAccount({ number: '12025550190', name: 'New Nora' });
    const asked = async () =>
      (await stack.phones.account(ADA)).lookUps.filter(({ jid }) => jid.startsWith('12025550190')).length;
    await sendText(stack.client, { id: 'main', type: 'text', to: '12025550190', body: 'one' });
    expect(await asked()).toBeGreaterThanOrEqual(1);
    const before = await asked();
    await sendText(stack.client, { id: 'main', type: 'text', to: '12025550190', body: 'two' });
    expect(await asked()).toBe(before);
    const unknown = sendText(stack.client, { id: 'main', type: 'text', to: '12025559998', body: 'to nobody' });
    await expect(unknown).rejects.toMatchObject({ code: 'recipient_not_found' });
  });

  it('cause no message events by calls, encryption notices or channels, live or after a restart', async () => {
    const { phones } = stack;
    await phones.notice(ADA, { kind: 'call_log', from: BEN, isNewMsg: true });
    await phones.notice(ADA, { kind: 'e2e_notification', from: BEN });
    await phones.notice(ADA, { kind: 'notification_template', from: BEN });
    await phones.notice(ADA, { kind: 'newsletter', from: '120363000000000077@newsletter' });
    await phones.send(BEN, { to: ADA, body: 'after the notices' });
    await events.until('message', ({ body }) => body === 'after the notices');
    await stack.client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    await phones.send(BEN, { to: ADA, body: 'after the restart' });
    await events.until('message', ({ body }) => body === 'after the restart');
    expect(new Set(events.all('message').map(({ type }) => type))).toEqual(new Set(['text']));
    const chats = await stack.client.listChats({ id: 'main' });
    expect(chats.filter(({ id }) => !/@(c\.us|lid|g\.us)$/.test(id))).toEqual([]);
  });
});

describe('user names', () => {
  const stack = sharedStack();
  const NORA = { number: '12025550181', name: 'Nora', lid: '81604523377181', hiddenNumber: true, username: 'nora_n' };
  const nora = `${NORA.lid}@lid`;
  beforeAll(async () => {
    await stack.phones.addAccount(NORA);
    await stack.phones.profile(NORA.number, { usernamePin: '4711' });
    await stack.linkLongAgo('ada', ADA);
    await stack.linkLongAgo('ben', BEN);
  });

  it('lead to an id to send to, if the PIN is given that the person has set', async () => {
    const find = (id: string, pin?: string) =>
      stack.client.findUsername({ id, name: '@Nora_N', ...(pin ? { pin } : {}) });
    expect(await find('ben')).toEqual({ username: 'nora_n', needsPin: true });
    await expectRefused([find('ben', '4711')], { code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
    expect(await find('ada', '4711')).toEqual({ username: 'nora_n', id: nora });
    const { id } = await sendText(stack.client, { id: 'ada', type: 'text', to: nora, body: 'found you' });
    expect(await stack.onPhone(NORA.number, id)).toMatchObject({ body: 'found you' });
    await expectRefused([find('ada', '47')], {
      code: 'invalid_request',
      issues: [expect.objectContaining({ path: 'pin' })],
    });
  });

  it('are in messages, contacts and groups', async () => {
    const events = await stack.listen('ada');
    await stack.phones.send(NORA.number, { to: ADA, body: 'and I you' });
    const message = await events.until('message', ({ body }) => body === 'and I you');
    expect(message).toMatchObject({ from: nora, username: 'nora_n' });
    expect(await stack.client.getContact({ id: 'ada', contactId: nora })).toMatchObject({
      username: 'nora_n',
      number: '',
    });
    const { id: groupId } = await stack.createGroup(NORA.number, { subject: 'By name', participants: [ADA] });
    const { participants = [] } = await stack.client.getGroup({ id: 'ada', groupId });
    expect(participants.find(({ lid }) => lid === nora)).toMatchObject({ username: 'nora_n', role: 'superadmin' });
  });
});
