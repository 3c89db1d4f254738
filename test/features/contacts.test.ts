import { ADA, BEN, CARLA, DEV, eventually, FARID, idOf, NOBODY, rawRequest } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

/** Not a contact of the account. */
const STELLA = '12025550191';
const HARRY = { number: '12025550192', name: 'Hidden Harry', lid: '81604523377192', hiddenNumber: true };
const harry = `${HARRY.lid}@lid`;

describe('people', () => {
  const stack = sharedStack();
  let lidOfDev = '';
  let lidOfStella = '';
  let groupId = '';
  beforeAll(async () => {
    const { phones } = stack;
    ({ lid: lidOfDev } = await phones.account(DEV));
    ({ lid: lidOfStella } = await phones.addAccount({ number: STELLA, name: 'Strange Stella' }));
    await phones.addAccount(HARRY);
    ({ id: groupId } = await phones.createGroup(BEN, { subject: 'Shared', participants: [ADA, CARLA, STELLA] }));
    await phones.createGroup(DEV, { subject: 'Of others', participants: [ADA] });
    await stack.linkLongAgo('main', ADA);
  });

  const of = (contactId: string) => ({ id: 'main', contactId });
  const refuse = (request: 'exists-many' | 'block' | 'business-profile' | 'about', code: number | null) =>
    stack.phones.refuseRequests(ADA, { requests: [request], code });

  it('are looked up by their numbers or hidden ids, in one request of each kind', async () => {
    const { client, phones } = stack;
    const before = (await phones.account(ADA)).lookUps.length;
    const numbers = [`+${BEN}`, NOBODY, idOf(CARLA), lidOfDev, harry, '999999@lid'];
    expect(await client.numbersExist({ id: 'main', numbers })).toEqual({
      numbers: [
        { number: BEN, exists: true, id: idOf(BEN) },
        { number: NOBODY, exists: false },
        { number: CARLA, exists: true, id: idOf(CARLA) },
        { number: DEV, exists: true, id: idOf(DEV) },
        { number: '', exists: true, id: harry },
        { number: '', exists: null },
      ],
    });
    expect((await phones.account(ADA)).lookUps.slice(before).map(({ jid }) => jid)).toEqual([
      harry,
      '999999@lid',
      ...[BEN, NOBODY, CARLA, DEV].map((number) => `+${number}`),
    ]);
    const chats = (await client.listChats({ id: 'main' })).map(({ id }) => id);
    expect(chats).not.toContain(idOf(CARLA));
  });

  it.each([
    ['whose number the page knows', () => lidOfDev, { number: DEV, exists: true, id: idOf(DEV) }],
    ['whose number the network tells', () => lidOfStella, { number: STELLA, exists: true, id: idOf(STELLA) }],
    ['whose number is hidden', () => harry, { number: '', exists: true, id: harry }],
    ['that nobody has', () => '999999@lid', { number: '', exists: false }],
  ])('are looked up one by one, too, by a hidden id %s', async (_, number, found) => {
    expect(await stack.client.numberExists({ id: 'main', number: number() })).toEqual(found);
  });

  it.each([
    [{ numbers: [] }, 'numbers'],
    [{ numbers: ['nobody'] }, 'numbers.0'],
    [{ numbers: Array(51).fill(BEN) }, 'numbers'],
    [{}, 'numbers'],
  ])('are not looked up by %j: 400 that names %s', async (body, field) => {
    const headers = { 'content-type': 'application/json' };
    const path = '/sessions/main/contacts/exists';
    const answer = await rawRequest(stack.gateway.url, { method: 'POST', path, headers, body: JSON.stringify(body) });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', issues: [{ path: field }] } });
  });

  it.each([CARLA, DEV])('are blocked and unblocked, as the phone sees it: %s', async (number) => {
    const { client, phones } = stack;
    for (const _ of ['once', 'twice'])
      expect(await client.blockContact(of(number))).toEqual({ contactId: idOf(number), blocked: true });
    expect((await phones.account(ADA)).blocked).toEqual([idOf(number)]);
    expect(await client.listBlocked({ id: 'main' })).toMatchObject([{ id: idOf(number), isBlocked: true }]);
    expect(await client.getContact(of(number))).toMatchObject({ isBlocked: true });
    for (const _ of ['once', 'twice'])
      expect(await client.unblockContact(of(number))).toEqual({ contactId: idOf(number), blocked: false });
    expect((await phones.account(ADA)).blocked).toEqual([]);
    expect(await client.listBlocked({ id: 'main' })).toEqual([]);
  });

  it('are blocked by hidden id, on the phone too', async () => {
    const { client, phones } = stack;
    await phones.contacts(ADA, { block: [DEV] });
    await eventually(async () => expect(await client.listBlocked({ id: 'main' })).toHaveLength(1));
    expect(await client.unblockContact(of(lidOfDev))).toEqual({ contactId: idOf(DEV), blocked: false });
    expect((await phones.account(ADA)).blocked).toEqual([]);
  });

  it('are not blocked if they are unknown, the network refuses, or it is the account itself', async () => {
    const { client } = stack;
    for (const call of [client.blockContact, client.unblockContact]) {
      await expect(call(of(NOBODY))).rejects.toMatchObject({ code: 'contact_not_found' });
      await expect(call(of(ADA))).rejects.toMatchObject({ code: 'not_permitted' });
    }
    for (const [status, code] of [
      [429, 'rate_limited'],
      [403, 'not_permitted'],
      [500, 'outcome_unknown'],
    ] as const) {
      await client.blockContact(of(DEV));
      await refuse('block', status);
      await expect(client.blockContact(of(BEN))).rejects.toMatchObject({ code });
      await expect(client.unblockContact(of(DEV))).rejects.toMatchObject({ code });
      await refuse('block', null);
    }
    expect((await client.listBlocked({ id: 'main' })).map(({ id }) => id)).toEqual([idOf(DEV)]);
    await client.unblockContact(of(DEV));
  });

  it('have the about text that they disclose', async () => {
    const { client, phones } = stack;
    await phones.profile(BEN, { about: 'At the beach' });
    await phones.profile(CARLA, { hidesAbout: true });
    expect(await client.getAbout(of(BEN))).toEqual({ contactId: idOf(BEN), about: 'At the beach' });
    for (const [status, code] of [
      [429, 'rate_limited'],
      [403, 'not_permitted'],
    ] as const) {
      await refuse('about', status);
      await expect(client.getAbout(of(BEN))).rejects.toMatchObject({ code });
    }
    await refuse('about', null);
    expect(await client.getAbout(of(DEV))).toEqual({ contactId: idOf(DEV), about: '' });
    for (const number of [CARLA, NOBODY])
      expect(await client.getAbout(of(number))).toEqual({ contactId: idOf(number), about: null });
    const chats = (await client.listChats({ id: 'main' })).map(({ id }) => id);
    expect(chats).not.toContain(idOf(BEN));
  });

  it('share groups with the account, contacts or not', async () => {
    const { client } = stack;
    for (const contactId of [BEN, CARLA, STELLA, lidOfStella])
      expect(await client.listCommonGroups(of(contactId))).toEqual([{ id: groupId, subject: 'Shared' }]);
    for (const contactId of [ADA, NOBODY]) expect(await client.listCommonGroups(of(contactId))).toEqual([]);
  });

  it('may be businesses, and have a profile', async () => {
    const { client, phones } = stack;
    for (const [status, code] of [
      [429, 'rate_limited'],
      [403, 'not_permitted'],
    ] as const) {
      await refuse('business-profile', status);
      await expect(client.getBusinessProfile(of(FARID))).rejects.toMatchObject({ code });
    }
    await refuse('business-profile', null);
    const businessProfile = {
      description: 'We sell lamps',
      address: '1 Main Street',
      email: 'lamps@example.com',
      websites: ['https://lamps.example.com'],
      categories: ['Shopping'],
      timezone: 'America/New_York',
      days: { mon: [[540, 720] as const, [780, 1_050] as const], sun: [] },
    };
    await phones.profile(FARID, { business: true, businessProfile });
    expect(await client.getBusinessProfile(of(FARID))).toEqual({
      contactId: idOf(FARID),
      isBusiness: true,
      description: 'We sell lamps',
      address: '1 Main Street',
      email: 'lamps@example.com',
      websites: ['https://lamps.example.com'],
      categories: ['Shopping'],
      hours: {
        timezone: 'America/New_York',
        days: [
          {
            day: 'mon',
            mode: 'specific_hours',
            periods: [
              { opensAt: '09:00', closesAt: '12:00' },
              { opensAt: '13:00', closesAt: '17:30' },
            ],
          },
          { day: 'sun', mode: 'open_24h', periods: [] },
        ],
      },
    });
    await phones.profile(FARID, { businessProfile: { ...businessProfile, description: 'We sell lights' } });
    expect(await client.getBusinessProfile(of(FARID))).toMatchObject({ description: 'We sell lights' });
    for (const number of [BEN, NOBODY]) {
      const none = { contactId: idOf(number), isBusiness: false, websites: [], categories: [] };
      expect(await client.getBusinessProfile(of(number))).toEqual(none);
    }
  });
});

it('many numbers are not looked up for ten minutes after a link', async () => {
  await using stack = await Stack.start();
  await stack.link('main', ADA);
  const { lookUps } = await stack.phones.account(ADA);
  const asked = stack.client.numbersExist({ id: 'main', numbers: [BEN] });
  const error = await asked.catch((thrown: unknown) => thrown as { code: string; retryAfterSeconds: number });
  expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('linked') });
  expect('retryAfterSeconds' in error && error.retryAfterSeconds).toBeGreaterThan(500);
  const resolved = stack.client.resolveContacts({ id: 'main', ids: [NOBODY] });
  await expect(resolved).rejects.toMatchObject({ code: 'rate_limited', message: expect.stringContaining('linked') });
  expect((await stack.phones.account(ADA)).lookUps).toEqual(lookUps);
});
