import { GatewayError } from '@chat-web/host';
import { ADA, BEN, eventually, media, NOBODY, reportedEmoji } from '@chat-web/testing';
import type { EventLog } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const id = 'main';
const BOT = { number: '12025550177', name: 'A bot', lid: '867051314767696@bot', hiddenNumber: true };
/** Keys of messages as other software chooses them. */
const KEYS = [
  'ORDER_17==',
  '_',
  'x_y_z_out',
  'a/b+c,d',
  'd%25?e#f&g',
  "o'clock",
  'x@y.z',
  '{"a":[1]}',
  'two  blanks',
  'Ünï-日本-👍',
  `LONG${'0'.repeat(230)}`,
];

const [png] = media;
const picture = { kind: 'image', mimeType: png.mimeType, base64: Buffer.from(png.bytes).toString('base64') } as const;

const stack = sharedStack();
let events: EventLog;
let groupId: string;
beforeAll(async () => {
  await stack.phones.addAccount(BOT);
  const group = await stack.phones.createGroup(BEN, { subject: 'A group', participants: [ADA] });
  groupId = group.id;
  await stack.linkLongAgo(id, ADA);
  events = await stack.listen(id, ['message', 'message_reaction']);
});

describe('messages whose ids other software has chosen', () => {
  /** Sends a picture with this key from Ben's phone; returns the id in the event. */
  async function arrived(key: string, to: string): Promise<string> {
    await stack.phones.send(BEN, { id: key, to, body: key, media: picture });
    const event = await events.until('message', ({ body }) => body === key);
    expect(event.id).toContain(`_${key}`);
    return event.id;
  }
  const onPhone = async (number: string, body: string) =>
    (await stack.phones.messages(number)).find((message) => message.body === body);

  it.each(KEYS)('%s: every call takes the id that the event has', async (key) => {
    const { client } = stack;
    const messageId = await arrived(key, ADA);
    const of = { id, messageId };
    expect(await client.getMessage(of)).toMatchObject({ id: messageId, body: key });
    await client.sendMessage({ id, type: 'reaction', messageId, emoji: '👍' });
    await eventually(async () => expect((await onPhone(BEN, key))?.reactions).toMatchObject([{ emoji: '👍' }]));
    expect(await client.listReactions(of)).toMatchObject([{ emoji: '👍' }]);
    const reply = `reply to ${key.slice(0, 20)}`;
    await client.sendMessage({ id, type: 'text', to: BEN, body: reply, quotedMessageId: messageId });
    await eventually(async () => expect((await onPhone(BEN, reply))?.quotedMessageId).toBe(key));
    const chatId = `${BEN}@c.us`;
    const { messages: later } = await client.listMessages({ id, chatId, after: messageId });
    expect(later.map(({ body }) => body)).toEqual([reply]);
    const { messages: earlier } = await client.listMessages({ id, chatId, before: later[0]?.id ?? '', limit: 1 });
    expect(earlier).toMatchObject([{ id: messageId }]);
    expect(await client.starMessage({ ...of, starred: true })).toEqual({ id: messageId, starred: true });
    expect(await client.pinMessage({ ...of, pinned: true })).toEqual({ id: messageId, pinned: true });
    const forwarded = await client.forwardMessage({ ...of, to: BEN });
    expect(forwarded).toMatchObject({ body: key, isForwarded: true });
    const file = await client.getMedia(of);
    await file.data.cancel();
    const preview = await client.getThumbnail(of);
    await preview?.data.cancel();
    await expect(client.listReceipts(of)).rejects.toMatchObject({ code: 'not_permitted' });
    expect(await client.deleteMessage({ ...of, forEveryone: false })).toEqual({ id: messageId, deletedFor: 'me' });
    await expect(client.getMessage(of)).rejects.toMatchObject({ code: 'message_not_found' });
  });

  it.each(['G_1', 'ORDER_18==', 'x@y'])('in a group, %s is found under both ids of its author', async (key) => {
    const messageId = await arrived(key, groupId);
    const { lid } = await stack.phones.account(BEN);
    for (const one of [messageId, messageId.replace(`${BEN}@c.us`, lid)]) {
      expect(await stack.client.getMessage({ id, messageId: one })).toMatchObject({ id: messageId, body: key });
      await stack.client.sendMessage({ id, type: 'reaction', messageId: one, emoji: '🎉' });
    }
    await eventually(async () => expect((await onPhone(BEN, key))?.reactions).toMatchObject([{ emoji: '🎉' }]));
  });

  it('are left out of events and lists if they are longer than an id may be', async () => {
    await stack.phones.send(BEN, { id: 'X'.repeat(400), to: ADA, body: 'too long an id' });
    await stack.phones.send(BEN, { to: ADA, body: 'after it' });
    await events.until('message', ({ body }) => body === 'after it');
    const { messages } = await stack.client.listMessages({ id, chatId: `${BEN}@c.us`, limit: 3 });
    expect(messages.at(-1)?.body).toBe('after it');
    expect(messages.map(({ body }) => body)).not.toContain('too long an id');
    expect(events.all('message').map(({ body }) => body)).not.toContain('too long an id');
  });

  it('are 404 if they are unknown, whatever their keys', async () => {
    for (const key of ['NEVER_1==', 'NEVER', 'a/b%?#']) {
      const failure = await stack.client.getMessage({ id, messageId: `false_${BEN}@c.us_${key}` }).catch((e) => e);
      expect(failure).toBeInstanceOf(GatewayError);
      expect(failure.code).toBe('message_not_found');
    }
  });
});

it('the chat of a bot is told, listed, found and written to under one id', async () => {
  const { client, phones } = stack;
  const botId = BOT.lid;
  await phones.send(BOT.number, { to: ADA, body: 'I am a bot' });
  const { id: messageId, from } = await events.until('message', ({ body }) => body === 'I am a bot');
  expect(from).toBe(botId);
  expect((await client.listChats({ id })).map((chat) => chat.id)).toContain(botId);
  expect(await client.getChat({ id, chatId: botId })).toMatchObject({ id: botId });
  expect(await client.getContact({ id, contactId: botId })).toMatchObject({ id: botId, number: '' });
  const { messages } = await client.listMessages({ id, chatId: botId });
  expect(messages.map(({ body }) => body)).toEqual(['I am a bot']);
  expect(await client.archiveChat({ id, chatId: botId, archived: true })).toMatchObject({ archived: true });
  await client.sendMessage({ id, type: 'reaction', messageId, emoji: '🤖' });
  const sent = await client.sendMessage({ id, type: 'text', to: botId, body: 'Hello', quotedMessageId: messageId });
  expect(sent).toMatchObject({ to: botId });
  await stack.onPhone(BOT.number, sent.id);
  // It is no person of the address book.
  expect((await client.listContacts({ id })).map((contact) => contact.id)).not.toContain(botId);
});

it('a number is understood as people write it, and refused if it is not clear', async () => {
  const { client } = stack;
  const written = [
    '+1 (202) 555-0102',
    '001.202.555.0102',
    '\u202a+1\u00a0202\u00a0555\u00a00102\u202c',
    `${BEN}@s.whatsapp.net`,
  ];
  for (const to of [...written, `tel:+${BEN}`])
    expect(await client.sendMessage({ id, type: 'text', to, body: 'Hi' })).toMatchObject({ to: `${BEN}@c.us` });
  for (const to of ['(202) 555-0102', '+49 (0)151 1234567'])
    await expect(client.sendMessage({ id, type: 'text', to, body: 'Hi' })).rejects.toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'to', message: expect.stringContaining('such as +441632960123') }],
    });
  expect(await client.numberExists({ id, number: '+1 202 555-9999' })).toEqual({ number: NOBODY, exists: false });
});

it('an emoji that was reported can be sent back, unchanged', async () => {
  const { id: stanza } = await stack.phones.send(BEN, { to: ADA, body: 'React to this' });
  const { id: messageId } = await events.until('message', ({ body }) => body === 'React to this');
  const every = 9; // Each takes two requests to the network.
  for (const emoji of reportedEmoji.filter((_, n) => n % every === 0)) {
    await stack.phones.react(BEN, { messageId: stanza, emoji });
    const isIt = (told: { emoji: string; messageId: string }) => told.emoji === emoji && told.messageId === messageId;
    const told = await events.until('message_reaction', isIt);
    const sent = await stack.client.sendMessage({ id, type: 'reaction', messageId, emoji: told.emoji });
    expect(sent).toMatchObject({ emoji });
    await eventually(async () => {
      const [message] = (await stack.phones.messages(BEN)).filter(({ body }) => body === 'React to this');
      expect(message?.reactions).toContainEqual({ from: `${ADA}@c.us`, emoji });
    });
  }
});
