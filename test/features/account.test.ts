import { setTimeout as delay } from 'node:timers/promises';
import { ADA, BEN, downloadedBytes, eventually, media, sha256 } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const SHOP = '12025550178';
const base64 = Buffer.from(media[0]?.bytes ?? []).toString('base64');

describe('the account', () => {
  const stack = sharedStack();
  beforeAll(async () => {
    await stack.phones.profile(ADA, { about: 'Reading' });
    await stack.link('main', ADA);
  });

  const onPhone = (check: (account: Awaited<ReturnType<Stack['phones']['account']>>) => void) =>
    eventually(async () => check(await stack.phones.account(ADA)));
  const refuse = (request: string, code: number | null) =>
    stack.phones.refuseRequests(ADA, { requests: [request], code });

  it('returns its ids, its name and its about text', async () => {
    expect(await stack.client.getProfile({ id: 'main' })).toEqual({
      id: `${ADA}@c.us`,
      lid: (await stack.phones.account(ADA)).lid,
      name: 'Ada Marsh',
      about: 'Reading',
      isBusiness: false,
    });
  });

  it('an about text that the network does not disclose is unknown, not empty', async () => {
    await refuse('about', 429);
    expect(await stack.client.getProfile({ id: 'main' })).not.toHaveProperty('about');
    await refuse('about', null);
  });

  it('its phone receives a changed name, about text and picture', async () => {
    expect(await stack.client.setProfileName({ id: 'main', name: 'Ada L.' })).toEqual({ name: 'Ada L.' });
    expect(await stack.client.setProfileAbout({ id: 'main', about: '' })).toEqual({ about: '' });
    expect(await stack.client.getProfile({ id: 'main' })).toMatchObject({ name: 'Ada L.', about: '' });
    await stack.client.setProfileAbout({ id: 'main', about: 'Busy 🚴' });
    await onPhone((account) => expect(account).toMatchObject({ name: 'Ada L.', about: 'Busy 🚴' }));

    expect(await stack.client.setProfilePicture({ id: 'main', base64 })).toEqual({ changed: true });
    const shown = await stack.client.getPicture({ id: 'main', contactId: ADA });
    const bytes = await downloadedBytes(shown);
    expect([...bytes.slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    expect(await stack.phones.account(ADA)).toMatchObject({ picture: 'present', pictureSha256: sha256(bytes) });

    expect(await stack.client.removeProfilePicture({ id: 'main' })).toEqual({ removed: true });
    expect(await stack.phones.account(ADA)).toMatchObject({ picture: 'none' });
  });

  it('a picture is set even if the page cannot read it afterwards', async () => {
    await refuse('picture', 429);
    expect(await stack.client.setProfilePicture({ id: 'main', base64 })).toEqual({ changed: true });
    await refuse('picture', null);
    expect(await stack.phones.account(ADA)).toMatchObject({ picture: 'present' });
    await stack.client.removeProfilePicture({ id: 'main' });
  });

  it('a refusal of the network changes nothing, and is reported with its reason', async () => {
    const { client } = stack;
    const calls = [
      ['set-about', () => client.setProfileAbout({ id: 'main', about: 'Away' })],
      ['set-picture', () => client.setProfilePicture({ id: 'main', base64 })],
      ['set-picture', () => client.removeProfilePicture({ id: 'main' })],
    ] as const;
    for (const [request, call] of calls) {
      for (const [refused, code] of [
        [403, 'not_permitted'],
        [429, 'rate_limited'],
        [500, 'outcome_unknown'],
      ] as const) {
        await refuse(request, refused);
        await expect(call(), `${request} ${refused}`).rejects.toMatchObject({ code });
      }
      await refuse(request, null);
    }
    expect((await stack.phones.account(ADA)).about).toBe('Busy 🚴');
  });

  it('invalid values are refused by name', async () => {
    const { client } = stack;
    const calls = {
      name: () => client.setProfileName({ id: 'main', name: ' ' }),
      about: () => client.setProfileAbout({ id: 'main', about: 'x'.repeat(140) }),
      presence: () => client.setPresence({ id: 'main', presence: 'away' as never }),
      lastSeen: () => client.updatePrivacy({ id: 'main', lastSeen: 'friends' as never }),
      mimeType: () => client.setProfilePicture({ id: 'main', base64, mimeType: 'video/mp4' }),
      url: () => client.setProfilePicture({ id: 'main' }),
    };
    for (const [path, call] of Object.entries(calls)) {
      await expect(call(), path).rejects.toMatchObject({
        code: 'invalid_request',
        issues: expect.arrayContaining([expect.objectContaining({ path })]),
      });
    }
    await expect(client.updatePrivacy({ id: 'main' })).rejects.toMatchObject({ code: 'invalid_request' });
    const unreadable = client.setProfilePicture({ id: 'main', base64: 'AQIDBA==', mimeType: 'image/png' });
    await expect(unreadable).rejects.toMatchObject({ code: 'media_unavailable' });
  });

  it('is shown as available and unavailable', async () => {
    for (const presence of ['available', 'unavailable'] as const) {
      expect(await stack.client.setPresence({ id: 'main', presence })).toEqual({ presence });
      await onPhone(({ devices }) => expect(devices.map((device) => device.presence)).toEqual([presence]));
    }
  });

  it('has privacy settings, of which only the named ones change', async () => {
    const before = await stack.client.getPrivacy({ id: 'main' });
    expect(before).toEqual({
      lastSeen: 'all',
      online: 'all',
      profilePicture: 'all',
      about: 'all',
      readReceipts: 'all',
      groups: 'all',
      calls: 'all',
    });
    const change = { lastSeen: 'none', online: 'match_last_seen', about: 'contacts', calls: 'known' } as const;
    expect(await stack.client.updatePrivacy({ id: 'main', ...change })).toEqual({ ...before, ...change });
    expect(await stack.client.getPrivacy({ id: 'main' })).toEqual({ ...before, ...change });
    expect((await stack.phones.account(ADA)).privacy).toMatchObject({
      last: 'none',
      online: 'match_last_seen',
      status: 'contacts',
      calladd: 'known',
      groupadd: 'all',
    });
    await refuse('set-privacy', 429);
    const refused = stack.client.updatePrivacy({ id: 'main', lastSeen: 'all' });
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 });
    await refuse('set-privacy', 403);
    await expect(stack.client.updatePrivacy({ id: 'main', groups: 'contacts' })).rejects.toMatchObject({
      code: 'not_permitted',
    });
    // The page may have changed a part of it: that is audited, however many refusals were before.
    const audited = () =>
      stack.gateway.log.filter((line) => /"audit":true.*"updatePrivacy".*"not_permitted"/.test(line));
    await eventually(() => expect(audited()).toHaveLength(1));
    for (let n = 0; n < 610; n += 1) await fetch(`${stack.gateway.url}/sessions/none/stop`, { method: 'POST' });
    const again = stack.client.updatePrivacy({ id: 'main', groups: 'contacts' });
    await expect(again).rejects.toMatchObject({ code: 'not_permitted' });
    await eventually(() => expect(audited()).toHaveLength(2));
    await refuse('set-privacy', null);
    expect(await stack.client.getPrivacy({ id: 'main' })).toEqual({ ...before, ...change });
  });

  it('is unlinked from its phone, and may be linked again, also to another account', async () => {
    const events = await stack.listen('main');
    const { status, qr } = await stack.client.logoutSession({ id: 'main' });
    expect([status, qr?.slice(0, 15)]).toEqual(['qr', 'data:image/png;']);
    expect(await events.until('disconnected')).toMatchObject({ reason: 'LOGOUT' });
    const { devices, unlinks } = await stack.phones.account(ADA);
    expect([devices, unlinks.map(({ cause }) => cause)]).toEqual([[], ['page']]);
    await expect(stack.client.logoutSession({ id: 'main' })).rejects.toMatchObject({ code: 'session_not_ready' });
    await expect(stack.client.logoutSession({ id: 'unknown' })).rejects.toMatchObject({ code: 'session_not_found' });
    await stack.phones.profile(BEN, { name: '' }); // For the next story.
    await stack.phones.scan(BEN, qr ?? '');
    await stack.untilStatus('main', 'ready');
    expect(await stack.client.getProfile({ id: 'main' })).toMatchObject({ id: `${BEN}@c.us` });
  });

  it('has no presence without a name, until it has one', async () => {
    const available = () => stack.client.setPresence({ id: 'main', presence: 'available' });
    await expect(available()).rejects.toMatchObject({ code: 'not_permitted' });
    await stack.client.setProfileName({ id: 'main', name: 'Ben' });
    expect(await available()).toEqual({ presence: 'available' });
  });

  it('of a business keeps the name that its phone set', async () => {
    await stack.phones.addAccount({ number: SHOP, name: 'The Shop' });
    await stack.phones.profile(SHOP, { business: true });
    await stack.link('shop', SHOP);
    expect(await stack.client.getProfile({ id: 'shop' })).toMatchObject({ name: 'The Shop', isBusiness: true });
    const renaming = stack.client.setProfileName({ id: 'shop', name: 'Another shop' });
    await expect(renaming).rejects.toMatchObject({ code: 'not_permitted' });
  });
});

it('an account that is shown as available remains so, though its page has no user', async () => {
  const [idleMs, awayMs] = [1_500, 200];
  await using stack = await Stack.start({ simulator: { idleMs, awayMs } });
  await stack.link('main', ADA);
  await stack.client.setPresence({ id: 'main', presence: 'available' });
  const events = await stack.listen('main', ['message', 'presence']);
  await stack.phones.send(BEN, { to: ADA, body: 'hello' });
  await events.until('message');
  await stack.client.subscribePresence({ id: 'main', chatId: BEN });
  // The page counts the time without input.
  await delay(2 * (idleMs + awayMs));
  expect((await stack.phones.account(ADA)).devices).toMatchObject([{ presence: 'available' }]);
  await stack.phones.showState(BEN, { to: ADA, state: 'typing' });
  await events.until('presence', ({ state }) => state === 'typing');
});
