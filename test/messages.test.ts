import { sendText } from '@chat-web/host';
import { ADA, BEN, eventually, rounds } from '@chat-web/testing';
import { type EventLog, stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const builds = [
  { name: 'the page spells ids _serialized', simulator: { idProperty: '_serialized' } },
  { name: 'the page spells message ids $1', simulator: { idProperty: '$1' } },
  { name: 'the page spells all ids $1', simulator: { idProperty: '$1', widProperty: '$1' } },
] as const;

describe.each(rounds({ few: [builds[0], builds[2]], all: [...builds] }))('messages, where $name', ({ simulator }) => {
  const stack = sharedStack({ simulator });
  let events: EventLog;
  beforeAll(async () => {
    await stack.link('main', ADA);
    events = await stack.listen('main');
  });

  const send = (body: string, more: { to?: string; quotedMessageId?: string } = {}) =>
    sendText(stack.client, { id: 'main', type: 'text', to: BEN, body, ...more });
  const unknown = `true_${BEN}@c.us_3EB0000000000000`;
  const onBensPhone = async (...bodies: string[]) => {
    const all = await stack.phones.messages(BEN, { with: ADA });
    return all.filter(({ body }) => bodies.includes(body));
  };

  it('a text arrives at the phone once, as it was written', async () => {
    const body = '  Grüße, "quoted" \\ \n 👩‍👩‍👧 العربية <b>&amp;</b> https://example.com/?a=1 ';
    const before = Math.floor(Date.now() / 1_000);
    const sent = await send(body, { to: `+${BEN}` });
    expect(sent).toMatchObject({
      from: `${ADA}@c.us`,
      to: `${BEN}@c.us`,
      fromMe: true,
      body,
      type: 'text',
      hasMedia: false,
    });
    expect(sent.id).toMatch(new RegExp(`^true_${BEN}@c\\.us_[0-9A-F]+$`));
    expect(sent.ack).toBeGreaterThanOrEqual(1);
    expect(sent.timestamp).toBeGreaterThanOrEqual(before);
    expect(sent.timestamp).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000));
    await eventually(async () => expect(await onBensPhone(body)).toHaveLength(1));
  });

  it('acks 1, 2 and 3 arrive as message_ack, in this order and once each', async () => {
    const sent = await send('read me');
    const acks = () => events.all('message_ack').flatMap(({ id, ack }) => (id === sent.id ? [ack] : []));
    await events.until('message_ack', ({ id, ack }) => id === sent.id && ack === 2);
    await stack.phones.read(BEN, ADA);
    await events.until('message_ack', ({ id, ack }) => id === sent.id && ack === 3);
    expect(acks()).toEqual([1, 2, 3]);
  });

  it('an inbound text is one message event', async () => {
    const sent = await stack.phones.send(BEN, { to: ADA, body: 'hello you' });
    const message = await events.until('message', ({ body }) => body === 'hello you');
    expect(message).toMatchObject({
      id: `false_${BEN}@c.us_${sent.id}`,
      from: `${BEN}@c.us`,
      to: `${ADA}@c.us`,
      fromMe: false,
      type: 'text',
      timestamp: sent.timestamp,
    });
    await stack.settled();
    expect(events.all('message').filter(({ body }) => body === 'hello you')).toHaveLength(1);
  });

  it('a reply quotes, in both directions', async () => {
    await stack.phones.send(BEN, { to: ADA, body: 'a question' });
    const question = await events.until('message', ({ body }) => body === 'a question');
    const reply = await send('an answer', { quotedMessageId: question.id });
    expect(reply.quotedMessageId).toBe(question.id);
    const received = await eventually(async () => {
      const [answer] = await onBensPhone('an answer');
      expect(answer).toMatchObject({ quotedBody: 'a question', quotedMessageId: stanzaOf(question.id) });
      return answer;
    });

    await stack.phones.send(BEN, { to: ADA, body: 'thanks', quotedMessageId: received?.id ?? '' });
    expect(await events.until('message', ({ body }) => body === 'thanks')).toMatchObject({ quotedMessageId: reply.id });
  });

  it('a message that is decrypted late is one message event, with its text', async () => {
    await stack.phones.send(BEN, { to: ADA, body: 'late', decryptLateMs: 500 });
    await events.until('message', ({ body }) => body === 'late');
    await stack.settled();
    expect(events.all('message').filter(({ body }) => body === 'late' || body === '')).toHaveLength(1);
  });

  it('an unregistered number is 404, an unknown group 404, and nothing is sent', async () => {
    const unknown = send('to nobody', { to: '12025559999' });
    await expect(unknown).rejects.toMatchObject({ code: 'recipient_not_found' });
    const noGroup = send('to no group', { to: '120363000000000000@g.us' });
    await expect(noGroup).rejects.toMatchObject({ code: 'chat_not_found' });
    const sent = (await stack.phones.messages(ADA)).map(({ body }) => body);
    expect(sent.filter((body) => body === 'to nobody' || body === 'to no group')).toEqual([]);
  });

  it('an unknown quotedMessageId is 404, and nothing is sent', async () => {
    const reply = send('quoting nothing', { quotedMessageId: `false_${BEN}@c.us_3EB0000000000000` });
    await expect(reply).rejects.toMatchObject({ code: 'message_not_found' });
    expect(await onBensPhone('quoting nothing')).toEqual([]);
  });

  it('twenty concurrent messages arrive once each', async () => {
    const bodies = Array.from({ length: 20 }, (_, n) => `one of many ${n}`);
    const sent = await Promise.all(bodies.map((body) => send(body)));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(20);
    await eventually(async () => {
      const received = (await onBensPhone(...bodies)).map(({ body }) => body);
      expect(received.sort()).toEqual([...bodies].sort());
    });
  });

  it('the texts of an account with a hidden id have its phone number as sender', async () => {
    const hidden = (await stack.phones.accounts()).find(({ addressing }) => addressing === 'lid');
    if (!hidden) throw new Error('the seed has no account that is addressed by its lid');
    await stack.phones.send(hidden.number, { to: ADA, body: 'from behind a lid' });
    const message = await events.until('message', ({ body }) => body === 'from behind a lid');
    expect(message.from).toBe(`${hidden.number}@c.us`);
    const reply = await send('I see you', { to: message.from, quotedMessageId: message.id });
    expect(reply).toMatchObject({ to: `${hidden.number}@c.us`, quotedMessageId: message.id });
    await eventually(async () => {
      const [received] = (await stack.phones.messages(hidden.number)).filter(({ body }) => body === 'I see you');
      expect(received).toMatchObject({ quotedBody: 'from behind a lid', quotedMessageId: stanzaOf(message.id) });
    });
  });

  it('a message gets a reaction, and it is removed', async () => {
    const { id } = await send('react to me');
    const react = (emoji: string) => stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: id, emoji });
    expect(await react('👍')).toEqual({ id, messageId: id, emoji: '👍' });
    await eventually(async () =>
      expect((await stack.onPhone(BEN, id)).reactions).toEqual([{ from: `${ADA}@c.us`, emoji: '👍' }]),
    );
    expect(await react('')).toEqual({ id, messageId: id, emoji: '' });
    await eventually(async () => expect((await stack.onPhone(BEN, id)).reactions).toEqual([]));
    const noEmoji = stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: id, emoji: 'hello' });
    await expect(noEmoji).rejects.toMatchObject({ code: 'invalid_request' });
    const toUnknown = stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: unknown, emoji: '👍' });
    await expect(toUnknown).rejects.toMatchObject({ code: 'message_not_found' });
  });

  it('a message of a blocked person gets no reaction, and loses the one that it has', async () => {
    const { id } = await send('before the block');
    const react = (emoji: string) =>
      stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: id, emoji }).then(
        () => 'done',
        ({ code }: { code: string }) => code,
      );
    expect(await react('👍')).toBe('done');
    await stack.phones.contacts(ADA, { block: [BEN] });
    await expect.poll(() => react('👎')).toBe('not_permitted');
    expect(await react('')).toBe('done');
    await stack.phones.contacts(ADA, { unblock: [BEN] });
    await expect.poll(() => react('👍')).toBe('done');
  });

  it('a message is edited while the window is open, only by its author', async () => {
    const { id } = await send('with a tpyo');
    const edit = (messageId: string) => stack.client.editMessage({ id: 'main', messageId, body: 'without one' });
    expect(await edit(id)).toMatchObject({ id, body: 'without one', fromMe: true, type: 'text' });
    await eventually(async () =>
      expect(await stack.onPhone(BEN, id)).toMatchObject({ body: 'without one', edited: true }),
    );

    const blank = stack.client.editMessage({ id: 'main', messageId: id, body: ' \n ' });
    await expect(blank).rejects.toMatchObject({ code: 'invalid_request', issues: [{ path: 'body' }] });
    const padded = await stack.client.editMessage({ id: 'main', messageId: id, body: '  trimmed ' });
    expect(padded.body).toBe('trimmed');
    await eventually(async () => expect(await stack.onPhone(BEN, id)).toMatchObject({ body: 'trimmed' }));

    const { id: plain } = await send('without a link');
    const withLink = { id: 'main', messageId: plain, body: 'see https://example.com/ for more' };
    expect(await stack.client.editMessage(withLink)).toMatchObject({ body: withLink.body });

    const { id: old } = await send('too old');
    await stack.phones.age(stanzaOf(old), 20 * 60_000);
    await expect(edit(old)).rejects.toMatchObject({ code: 'edit_window_closed' });
    expect(await stack.onPhone(BEN, old)).toMatchObject({ body: 'too old', edited: false });

    await stack.phones.send(BEN, { to: ADA, body: 'mine' });
    const { id: theirs } = await events.until('message', ({ body }) => body === 'mine');
    await expect(edit(theirs)).rejects.toMatchObject({ code: 'not_permitted' });
    // One that was sent on the phone is edited there.
    const { id: stanza } = await stack.phones.send(ADA, { to: BEN, body: 'from the phone' });
    await stack.settled();
    const { messages } = await stack.client.listMessages({ id: 'main', chatId: BEN });
    const sentThere = messages.find(({ id }) => id.includes(stanza))?.id ?? '';
    const message = expect.stringContaining('that this device sent');
    await expect(edit(sentThere)).rejects.toMatchObject({ code: 'not_permitted', message });
    await expect(edit(unknown)).rejects.toMatchObject({ code: 'message_not_found' });
  });

  it('a message is deleted for everyone, and only for the account when it is too late or on request', async () => {
    const remove = (messageId: string, forEveryone = true) =>
      stack.client.deleteMessage({ id: 'main', messageId, forEveryone });
    const { id } = await send('regretted');
    expect(await remove(id)).toEqual({ id, deletedFor: 'everyone' });
    await eventually(async () => expect(await stack.onPhone(BEN, id)).toMatchObject({ type: 'revoked' }));
    await expect(remove(id)).rejects.toMatchObject({ code: 'message_not_found' });

    const { id: old } = await send('long regretted');
    await stack.phones.age(stanzaOf(old), 3 * 24 * 3_600_000);
    expect(await remove(old)).toEqual({ id: old, deletedFor: 'me' });
    expect(await stack.onPhone(BEN, old)).toMatchObject({ body: 'long regretted', type: 'text' });
    await expect(remove(old)).rejects.toMatchObject({ code: 'message_not_found' });

    // Neither deleted only for the account instead, nor lost: it can be retried.
    const { id: kept } = await send('regretted offline');
    await stack.phones.refuseRequests(ADA, { requests: ['revoke'], code: 500 });
    await expect(remove(kept)).rejects.toMatchObject({ code: 'not_permitted' });
    await stack.phones.refuseRequests(ADA, { requests: ['revoke'], code: null });
    expect(await remove(kept)).toEqual({ id: kept, deletedFor: 'everyone' });

    const { id: mine } = await send('out of my sight');
    expect(await remove(mine, false)).toEqual({ id: mine, deletedFor: 'me' });
    await expect(remove(unknown)).rejects.toMatchObject({ code: 'message_not_found' });
  });

  it('while the account is offline, a send is refused, never answered 200, and works again after the reconnect', async () => {
    await stack.phones.disconnect(ADA);
    const { reason, message } = await events.until('disconnected');
    expect({ reason, message }).toEqual({
      reason: 'CONNECTION_LOST',
      message: expect.stringMatching(/: (OPENING|TIMEOUT)$/),
    });
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'disconnected', reason });
    await expect(send('offline')).rejects.toMatchObject({ code: 'session_not_ready' });

    await stack.phones.reconnect(ADA);
    await events.until('ready');
    await send('back again');
    await eventually(async () => {
      expect((await onBensPhone('offline', 'back again')).map(({ body }) => body)).toEqual(['back again']);
    });
  });
});
