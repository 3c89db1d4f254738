import { ADA, BEN, CARLA, eventually, idOf, NOBODY } from '@chat-web/testing';
import { expectRefused, sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

/** Neither is a contact of the account; both numbers are hidden, and only Nora has a user name. */
const NORA = { number: '12025550181', name: 'Nora', lid: '81604523377181', hiddenNumber: true, username: 'nora_n' };
const HARRY = { number: '12025550182', name: 'Harry', lid: '81604523377182', hiddenNumber: true };
const STELLA = { number: '12025550183', name: 'Strange Stella', lid: '81604523377183' };
const [nora, harry, lidOfStella] = [NORA, HARRY, STELLA].map(({ lid }) => `${lid}@lid`) as [string, string, string];

describe('the contacts of an account', () => {
  const stack = sharedStack();
  beforeAll(async () => {
    const { phones } = stack;
    for (const person of [NORA, HARRY, STELLA]) await phones.addAccount(person);
    const participants = [ADA, ...[NORA, HARRY, STELLA].map(({ number }) => number)];
    await phones.createGroup(BEN, { subject: 'Neighbours', participants });
    await stack.linkLongAgo('main', ADA);
    await stack.link('other', ADA);
  });

  const of = (contactId: string) => ({ id: 'main', contactId });
  const onPhone = async (number: string) =>
    (await stack.phones.savedContacts(ADA)).find((contact) => contact.number === number);
  /** How another device of the account has a person. */
  const elsewhere = (contactId: string) => stack.client.getContact({ id: 'other', contactId });

  it.each([
    ['number', STELLA.number, { firstName: ' Stella', lastName: 'Marlow ' }, 'Stella Marlow'],
    ['number, as people write it', '+1 (202) 555-0183', { firstName: 'Estelle' }, 'Estelle'],
    ['hidden id', lidOfStella, { firstName: 'Stella', lastName: 'M.' }, 'Stella M.'],
  ])('are saved and renamed by %s, on all devices', async (_, contactId, naming, name) => {
    const saved = await stack.client.saveContact({ ...of(contactId), ...naming });
    const { number } = STELLA;
    expect(saved).toMatchObject({ id: idOf(number), lid: lidOfStella, number, name, isMyContact: true });
    for (const one of [number, lidOfStella]) expect(await stack.client.getContact(of(one))).toEqual(saved);
    const shortName = naming.firstName.trim();
    expect(await onPhone(number)).toEqual({ number, name, shortName, onPhone: false, byUsername: false });
    await eventually(async () => expect(await elsewhere(number)).toMatchObject({ name, isMyContact: true }));
    const listed = await stack.client.listContacts({ id: 'main' });
    expect(listed.filter((contact) => contact.number === number)).toEqual([saved]);
  });

  it('stay in the address book of the phone, unless the request says otherwise', async () => {
    const rename = (firstName: string, syncToPhone?: boolean) =>
      stack.client.saveContact({ ...of(BEN), firstName, ...(syncToPhone === undefined ? {} : { syncToPhone }) });
    await rename('Benny');
    expect(await onPhone(BEN)).toMatchObject({ name: 'Benny', onPhone: true });
    await rename('Ben', false);
    await rename('Ben O.');
    expect(await onPhone(BEN)).toMatchObject({ name: 'Ben O.', onPhone: false });
    await rename('Ben', true);
    expect(await onPhone(BEN)).toMatchObject({ name: 'Ben', onPhone: true });
  });

  it('are known and deleted after a restart, on all devices; the person and the chat stay', async () => {
    const { client } = stack;
    const { number } = STELLA;
    await client.sendMessage({ id: 'main', type: 'text', to: number, body: 'Hello' });
    await client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    expect(await client.getContact(of(number))).toMatchObject({ name: 'Stella M.' });
    for (const [contactId, person] of [
      [lidOfStella, number],
      [CARLA, CARLA],
    ] as const) {
      expect(await client.deleteContact(of(contactId))).toEqual({ contactId: idOf(person), deleted: true });
      const contact = await client.getContact(of(contactId));
      expect(contact).toMatchObject({ id: idOf(person), isMyContact: false });
      expect(contact).not.toHaveProperty('name');
      expect(await onPhone(person)).toBeUndefined();
      await eventually(async () => expect(await elsewhere(person)).not.toHaveProperty('name'));
      await expectRefused([client.deleteContact(of(contactId))], { code: 'contact_not_found' });
    }
    expect((await client.listChats({ id: 'main' })).map(({ id }) => id)).toContain(idOf(number));
  });

  it('whose number is hidden are saved by user name', async () => {
    const { client } = stack;
    const saved = await client.saveContact({ ...of(nora), firstName: 'Nora', lastName: 'N.' });
    expect(saved).toMatchObject({ id: nora, number: '', name: 'Nora N.', username: 'nora_n' });
    expect(await onPhone(NORA.number)).toMatchObject({ name: 'Nora N.', byUsername: true, onPhone: false });
    await eventually(async () => expect(await elsewhere(nora)).toMatchObject({ name: 'Nora N.' }));
    await expectRefused([client.saveContact({ ...of(nora), firstName: 'N.', syncToPhone: true })], {
      code: 'not_permitted',
    });
    expect(await client.deleteContact(of(nora))).toEqual({ contactId: nora, deleted: true });
    expect(await onPhone(NORA.number)).toBeUndefined();
    await expectRefused([client.saveContact({ ...of(harry), firstName: 'Harry' })], {
      code: 'contact_not_found',
      message: expect.stringContaining('give the number'),
    });
  });

  it('are other people with a number on the network', async () => {
    const before = await stack.phones.savedContacts(ADA);
    const save = (contactId: string) => stack.client.saveContact({ ...of(contactId), firstName: 'X' });
    await expectRefused([save(NOBODY)], { code: 'contact_not_found', message: expect.stringContaining('registered') });
    await expectRefused([save(ADA), save('1@bot')], { code: 'not_permitted' });
    await expectRefused([stack.client.deleteContact(of(NOBODY))], { code: 'contact_not_found' });
    expect(await stack.phones.savedContacts(ADA)).toEqual(before);
  });

  it.each([
    ['firstName', {}],
    ['firstName', { firstName: ' ' }],
    ['firstName', { firstName: 'x'.repeat(256) }],
    ['lastName', { firstName: 'A', lastName: 'B\nTEL:1' }],
    ['syncToPhone', { firstName: 'A', syncToPhone: 'yes' }],
    ['name', { firstName: 'A', name: 'A' }],
  ])('are not saved with an invalid %s: %j', async (path, naming) => {
    const saved = stack.client.saveContact({ ...of(BEN), ...naming } as never);
    await expectRefused([saved], { code: 'invalid_request', issues: [expect.objectContaining({ path })] });
  });

  it('are changed only as far as the phone lets linked devices do so', async () => {
    const { client, phones } = stack;
    const save = (syncToPhone: boolean) => client.saveContact({ ...of(BEN), firstName: 'Benjamin', syncToPhone });
    await phones.profile(ADA, { contactChanges: 'app' });
    await stack.settled();
    await expectRefused([save(true)], { code: 'not_permitted', message: expect.stringContaining('address book') });
    expect(await save(false)).toMatchObject({ name: 'Benjamin' });
    await phones.profile(ADA, { contactChanges: 'none' });
    await stack.settled();
    await expectRefused([save(false), client.deleteContact(of(BEN))], { code: 'not_permitted' });
    expect(await onPhone(BEN)).toMatchObject({ name: 'Benjamin' });
    await phones.profile(ADA, { contactChanges: 'phone' });
  });
});
