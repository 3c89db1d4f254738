import { ADA, idOf, media, NOBODY } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const id = 'main';
const stack = sharedStack();
const BRAZIL = { network: '551199990000', written: '5511999990000' };
const MEXICO = { network: '5215512345678', written: '525512345678' };
const ARGENTINA = { network: '5493512345678', written: '543512345678' };
/** A country without a rule of ours: the network's answer alone tells the other form. */
const ELSEWHERE = { network: '12025550188', written: '12025550189' };
const all = [BRAZIL, MEXICO, ARGENTINA, ELSEWHERE];
/** Numbers as people write them, and the digits by which the network knows their owners. */
const WRITTEN = [
  ['United States', '+1 (202) 555-0143', '12025550143'],
  ['United States, from abroad', '001.202.555.0144', '12025550144'],
  ['Canada', 'tel:+1-613-555-0145', '16135550145'],
  ['Jamaica', '+1-876-555-0146', '18765550146'],
  ['United Kingdom', '+44 7700 900123', '447700900123'],
  ['United Kingdom, a landline', '+44 (20) 7946 0123', '442079460123'],
  ['Ireland', '+353 (20) 915-0123', '353209150123'],
  ['Germany', '0049 1555 0000123', '4915550000123'],
  ['Germany, a landline', '+49 (30) 23125-001', '493023125001'],
  ['France', '+33 6 39 98 01 23', '33639980123'],
  ['Italy', '+39 312 000 0123', '393120000123'],
  ['Italy, a landline, with its 0', '+39 06 0000 0123', '390600000123'],
  ['Spain', '+34 600 00 01 23', '34600000123'],
  ['Switzerland', '+41 (79) 000 01 23', '41790000123'],
  ['Austria', '+43-660-0000123', '436600000123'],
  ['Sweden', '+46-70-174 06 05', '46701740605'],
  ['Russia', '+7 900 000-01-23', '79000000123'],
  ['Kazakhstan', '+7 (700) 000-01-24', '77000000124'],
  ['Turkey', '+90 (500) 000 01 23', '905000000123'],
  ['Israel', '+972-50-000-0123', '972500000123'],
  ['Saudi Arabia, from a text in Arabic', '\u200e+966 50 000 0123\u200f', '966500000123'],
  ['Egypt', '00 20 100 000 0123', '201000000123'],
  ['Nigeria', '+234 800 000 0123', '2348000000123'],
  ['Ivory Coast', '+225 07 00 00 01 23', '2250700000123'],
  ['Ivory Coast, registered by the old number', '+225 07 07 00 01 24', '22507000124'],
  ['Benin', '+229 01 97 00 01 23', '2290197000123'],
  ['Benin, registered by the old number', '+229 01 97 00 01 24', '22997000124'],
  ['Benin, by the old number', '+229 97 00 01 25', '2290197000125'],
  ['Brazil', '+55 (11) 99999-0123', '5511999990123'],
  ['Brazil, registered without the ninth digit', '+55 11 99999-0124', '551199990124'],
  ['Brazil, without the ninth digit', '+55 (11) 9999-0125', '5511999990125'],
  ['Brazil, a landline', '+55 11 3333-0126', '551133330126'],
  ['Mexico', '+52 55 1234 0123', '525512340123'],
  ['Mexico, registered with the 1', '+52 55 1234 0124', '5215512340124'],
  ['Mexico, with the 1', '+52 1 55 1234 0125', '525512340125'],
  ['Argentina', '+54 9 351 234-0123', '5493512340123'],
  ['Argentina, without the 9', '+54 351 234-0124', '5493512340124'],
  ['Argentina, registered without the 9', '+54 9 351 234-0125', '543512340125'],
  ['India', '+91-90000 00123', '919000000123'],
  ['Indonesia', '+62 812\u20110000\u20110123', '6281200000123'],
  ['China, in full width', '\uff0b\uff18\uff16 130 0000 0123', '8613000000123'],
  ['Singapore', ' +65 8000 0123', '6580000123'],
].map(([country = '', written = '', network = '']) => {
  const digits = written.normalize('NFKC').replace(/\D/g, '').replace(/^00/, '');
  return { country, written, digits, network };
});
const base64 = Buffer.from(media[0]?.bytes ?? []).toString('base64');

beforeAll(async () => {
  for (const { network, written } of all)
    await stack.phones.addAccount({ number: network, name: `of ${network}`, otherNumbers: [written] });
  for (const { country, network, digits } of WRITTEN)
    await stack.phones.addAccount({
      number: network,
      name: country,
      otherNumbers: digits === network ? [] : [digits],
    });
  await stack.linkLongAgo(id, ADA);
});

const lookUps = async () => (await stack.phones.account(ADA)).lookUps.length;
const text = (to: string, body: string) => stack.client.sendMessage({ id, type: 'text', to, body });
const bodies = async (number: string) => (await stack.phones.messages(number)).map(({ body }) => body);

describe.each(all)('a person whom the network knows as $network, and callers as $written', ({ network, written }) => {
  it('is found by both forms, and the answers name that of the network', async () => {
    for (const number of [network, written])
      expect(await stack.client.numberExists({ id, number })).toEqual({ number, exists: true, id: idOf(network) });
  });

  it('gets each message in one chat, after one look-up', async () => {
    const before = await lookUps();
    const sent = await text(`+${written}`, 'Hello');
    expect(sent).toMatchObject({ to: idOf(network), id: expect.stringContaining(idOf(network)) });
    await text(written, 'again');
    await text(network, 'by the other form');
    await stack.client.sendMessage({ id, type: 'image', to: written, base64, caption: 'a picture' });
    // None for the form that was just looked up, at most one for the network's own.
    expect((await lookUps()) - before).toBeLessThanOrEqual(1);
    await stack.phones.settled();
    expect(await bodies(network)).toEqual(['Hello', 'again', 'by the other form', 'a picture']);
    const chats = (await stack.client.listChats({ id })).map((chat) => chat.id);
    expect(chats).toContain(idOf(network));
    expect(chats).not.toContain(idOf(written));
  });

  it('has one chat and one contact for both forms', async () => {
    await stack.phones.send(network, { to: ADA, body: 'Good day' });
    await stack.settled();
    for (const form of [network, written]) {
      const { messages } = await stack.client.listMessages({ id, chatId: form });
      expect(messages.map(({ body }) => body)).toContain('Good day');
      expect(await stack.client.getContact({ id, contactId: form })).toMatchObject({ id: idOf(network) });
    }
  });

  it('is blocked and unblocked by either form', async () => {
    const contactId = idOf(network);
    expect(await stack.client.blockContact({ id, contactId: written })).toEqual({ contactId, blocked: true });
    expect((await stack.client.listBlocked({ id })).map((contact) => contact.id)).toEqual([contactId]);
    expect(await stack.client.unblockContact({ id, contactId: written })).toEqual({ contactId, blocked: false });
    expect(await stack.client.listBlocked({ id })).toEqual([]);
  });
});

it.each(WRITTEN)('$country: $digits reaches $network', async ({ written, digits, network }) => {
  const owner = { exists: true, id: idOf(network) };
  expect(await stack.client.numberExists({ id, number: written })).toEqual({ number: digits, ...owner });
  expect(await text(written, 'Hello')).toMatchObject({ to: idOf(network) });
  await stack.phones.settled();
  expect(await bodies(network)).toEqual(['Hello']);
});

it('numbers are looked up together with the ids of their owners', async () => {
  const { numbers } = await stack.client.numbersExist({ id, numbers: [...all.map(({ written }) => written), NOBODY] });
  expect(numbers).toEqual([
    ...all.map(({ network, written }) => ({ number: written, exists: true, id: idOf(network) })),
    { number: NOBODY, exists: false },
  ]);
});

it('after a restart, the rules of the country find the chat, without a look-up', async () => {
  await stack.client.restartSession({ id });
  await stack.untilStatus(id, 'ready');
  const before = await lookUps();
  for (const { network, written } of [BRAZIL, MEXICO, ARGENTINA]) {
    expect((await stack.client.listMessages({ id, chatId: written })).messages).not.toEqual([]);
    expect(await text(written, 'after the restart')).toMatchObject({ to: idOf(network) });
  }
  expect(await lookUps()).toBe(before);
  expect(await text(ELSEWHERE.written, 'after the restart')).toMatchObject({ to: idOf(ELSEWHERE.network) });
  expect(await lookUps()).toBe(before + 1);
});
