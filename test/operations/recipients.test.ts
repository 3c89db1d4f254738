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
const base64 = Buffer.from(media[0]?.bytes ?? []).toString('base64');

beforeAll(async () => {
  for (const { network, written } of all)
    await stack.phones.addAccount({ number: network, name: `of ${network}`, otherNumbers: [written] });
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
