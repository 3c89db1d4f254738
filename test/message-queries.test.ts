import { GatewayError } from '@chat-web/host';
import { ADA, BEN, CARLA, DEV, downloadedBytes, EDITH, eventually, FARID, GRACE, media } from '@chat-web/testing';
import { stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const UNKNOWN = 'false_12025550102@c.us_3A00FFFF';
const id = 'main';
const chatId = `${BEN}@c.us`;

const stack = sharedStack();
let texts: string[];

beforeAll(async () => {
  await stack.link(id, ADA);
  const events = await stack.listen(id);
  texts = [];
  for (const body of ['one', 'two', 'three', 'four', 'five', 'Parcel 4711 is on its way', 'seven']) {
    await stack.phones.send(BEN, { to: ADA, body });
    texts.push((await events.until('message', (message) => message.body === body)).id);
  }
});

const sentTo = async (to: string, body: string) =>
  ((await stack.client.sendMessage({ id, type: 'text', to, body })) as { readonly id: string }).id;
const onPhone = async (number: string, body: string) =>
  (await stack.phones.messages(number)).find((message) => message.body === body);
/** The code of a refusal, and the fields that it names. */
const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: GatewayError) => thrown,
  );
  expect(error).toBeInstanceOf(GatewayError);
  return [error?.code, ...(error?.issues ?? []).map(({ path }) => path)];
};

describe('a message', () => {
  it('is found by its id', async () => {
    const found = await stack.client.getMessage({ id, messageId: texts[0] ?? '' });
    expect(found).toMatchObject({ id: texts[0], from: chatId, body: 'one', type: 'text', fromMe: false });
    expect(await refusalOf(stack.client.getMessage({ id, messageId: UNKNOWN }))).toEqual(['message_not_found']);
    expect(await refusalOf(stack.client.getMessage({ id, messageId: 'x' }))).toEqual(['invalid_request', 'messageId']);
  });

  it('is found by the number and by the hidden id of the person, for each operation', async () => {
    const { lid } = await stack.phones.account(BEN);
    const byLid = (messageId: string) => messageId.replace(chatId, lid);
    const theirs = byLid(texts[0] ?? '');
    const found = await stack.client.getMessage({ id, messageId: theirs });
    expect(found).toMatchObject({ id: texts[0], body: 'one' });
    await stack.client.sendMessage({ id, type: 'reaction', messageId: theirs, emoji: '👍' });
    await eventually(async () => expect((await onPhone(BEN, 'one'))?.reactions).toMatchObject([{ emoji: '👍' }]));
    expect(await stack.client.listReactions({ id, messageId: theirs })).toMatchObject([{ emoji: '👍' }]);
    await stack.client.sendMessage({ id, type: 'text', to: BEN, body: 'as a reply', quotedMessageId: theirs });
    await eventually(async () => expect((await onPhone(BEN, 'as a reply'))?.quotedBody).toBe('one'));
    const mine = byLid(await sentTo(BEN, 'with a tpyo'));
    await stack.client.editMessage({ id, messageId: mine, body: 'without a typo' });
    await eventually(async () => expect(await onPhone(BEN, 'without a typo')).toBeDefined());
    await stack.client.deleteMessage({ id, messageId: mine, forEveryone: true });
    await eventually(async () => expect(await onPhone(BEN, 'without a typo')).toBeUndefined());
  });

  it('of a group is found by the number and by the hidden id of its author', async () => {
    const { lid } = await stack.phones.account(BEN);
    const group = await stack.createGroup(BEN, { subject: 'Two ids', participants: [ADA] });
    const events = await stack.listen(id);
    await stack.phones.send(BEN, { to: group.id, body: 'in the group' });
    const known = await events.until('message', ({ body }) => body === 'in the group');
    expect(known.id).toContain(chatId);
    const messageId = known.id.replace(chatId, lid);
    expect(await stack.client.getMessage({ id, messageId })).toMatchObject({ id: known.id });
  });

  it('is starred, also on the phone, until the star is removed', async () => {
    const messageId = texts[1] ?? '';
    const starred = async () => (await onPhone(ADA, 'two'))?.starred;
    expect(await stack.client.starMessage({ id, messageId, starred: true })).toEqual({ id: messageId, starred: true });
    await eventually(async () => expect(await starred()).toBe(true));
    await stack.client.starMessage({ id, messageId, starred: false });
    await eventually(async () => expect(await starred()).toBe(false));
    expect(await refusalOf(stack.client.starMessage({ id, messageId: UNKNOWN, starred: true }))).toEqual([
      'message_not_found',
    ]);
    expect(await refusalOf(stack.client.starMessage({ id, messageId } as never))).toEqual([
      'invalid_request',
      'starred',
    ]);
  });

  it('is starred and deleted at the same time as others of its chat', async () => {
    const bodies = ['to star', 'to star as well', 'to delete', 'to delete as well'];
    const ids: string[] = [];
    for (const body of bodies) ids.push(await sentTo(`${FARID}@c.us`, body));
    await Promise.all([
      ...ids.slice(0, 2).map((messageId) => stack.client.starMessage({ id, messageId, starred: true })),
      ...ids.slice(2).map((messageId) => stack.client.deleteMessage({ id, messageId, forEveryone: false })),
    ]);
    // Stars arrive on the phone later.
    await eventually(async () => {
      const left = (await stack.phones.messages(ADA, { with: FARID })).map(({ body, starred }) => [body, starred]);
      expect(left).toEqual(bodies.slice(0, 2).map((body) => [body, true]));
    });
    await stack.phones.refuseRequests(ADA, { requests: ['hide'], code: 500 });
    const refused = stack.client.deleteMessage({ id, messageId: ids[0] ?? '', forEveryone: false });
    expect(await refusalOf(refused)).toEqual(['client_failed']);
    await stack.phones.refuseRequests(ADA, { requests: ['hide'], code: null });
  });

  it('is pinned in its chat, unless the group restricts that to admins', async () => {
    const messageId = texts[2] ?? '';
    const pinned = async () => (await onPhone(BEN, 'three'))?.pinned;
    expect(await stack.client.pinMessage({ id, messageId, pinned: true, seconds: 86_400 })).toMatchObject({
      pinned: true,
    });
    expect(await pinned()).toBe(true);
    await stack.client.pinMessage({ id, messageId, pinned: false });
    expect(await pinned()).toBe(false);
    const other = await stack.createGroup(BEN, { subject: 'Admins only', participants: [ADA] });
    const inGroup = await sentTo(other.id, 'pin me');
    expect(await refusalOf(stack.client.pinMessage({ id, messageId: inGroup, pinned: true }))).toEqual([
      'not_permitted',
    ]);
    expect(await refusalOf(stack.client.pinMessage({ id, messageId: UNKNOWN, pinned: true }))).toEqual([
      'message_not_found',
    ]);
    await stack.phones.refuseRequests(ADA, { requests: ['pin'], code: 500 });
    for (const pin of [true, false])
      expect(await refusalOf(stack.client.pinMessage({ id, messageId, pinned: pin }))).toEqual(['not_permitted']);
    await stack.phones.refuseRequests(ADA, { requests: ['pin'], code: null });
    // An unchanged pin is not sent to the chat again, where all members would see it.
    for (const pin of [true, false]) {
      await stack.client.pinMessage({ id, messageId, pinned: pin });
      await stack.phones.refuseRequests(ADA, { requests: ['pin'], code: 500 });
      expect(await stack.client.pinMessage({ id, messageId, pinned: pin })).toEqual({ id: messageId, pinned: pin });
      await stack.phones.refuseRequests(ADA, { requests: ['pin'], code: null });
      expect(await pinned()).toBe(pin);
    }
    const short = { id, messageId, pinned: true, seconds: 5 } as never;
    expect(await refusalOf(stack.client.pinMessage(short))).toEqual(['invalid_request', 'seconds']);
  });

  it('for one view is neither starred nor pinned', async () => {
    const base64 = Buffer.from(media[0]?.bytes ?? []).toString('base64');
    const { id: messageId } = await stack.client.sendMessage({ id, type: 'image', to: BEN, base64, viewOnce: true });
    for (const refused of [
      stack.client.starMessage({ id, messageId, starred: true }),
      stack.client.pinMessage({ id, messageId, pinned: true }),
    ])
      expect(await refusalOf(refused)).toEqual(['not_permitted']);
  });

  it('has reactions, each with who reacted', async () => {
    const group = await stack.createGroup(ADA, { subject: 'Trip', participants: [BEN, CARLA] });
    const messageId = await sentTo(group.id, 'who comes?');
    const stanza = await eventually(
      async () => (await onPhone(CARLA, 'who comes?')) ?? Promise.reject(new Error('not there')),
    );
    await stack.phones.react(BEN, { messageId: stanza.id, emoji: '👍' });
    await stack.phones.react(CARLA, { messageId: stanza.id, emoji: '❤️' });
    await eventually(async () => {
      const reactions = await stack.client.listReactions({ id, messageId });
      expect(reactions.map(({ from, emoji }) => [from, emoji]).sort()).toEqual([
        [`${BEN}@c.us`, '👍'],
        [`${CARLA}@c.us`, '❤️'],
      ]);
      expect(Math.abs((reactions[0]?.at ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
    });
    // The page keeps a reaction that the network has refused.
    await stack.phones.refuseRequests(ADA, { requests: ['react'], code: 500 });
    const refused = stack.client.sendMessage({ id, type: 'reaction', messageId, emoji: '😮' });
    await expect(refused).rejects.toThrow(GatewayError);
    await stack.phones.refuseRequests(ADA, { requests: ['react'], code: null });
    expect((await stack.client.listReactions({ id, messageId })).map(({ emoji }) => emoji)).not.toContain('😮');
    await stack.phones.react(BEN, { messageId: stanza.id, emoji: '' });
    await eventually(async () => expect(await stack.client.listReactions({ id, messageId })).toHaveLength(1));
    expect(await refusalOf(stack.client.listReactions({ id, messageId: UNKNOWN }))).toEqual(['message_not_found']);
  });

  it('lists who has received and read it', async () => {
    await stack.phones.setOnline(CARLA, false);
    const group = await stack.createGroup(ADA, { subject: 'News', participants: [BEN, CARLA] });
    const messageId = await sentTo(group.id, 'read this');
    await eventually(async () => expect(await onPhone(BEN, 'read this')).toBeDefined());
    await stack.phones.read(BEN, group.id);
    await eventually(async () => {
      const receipts = await stack.client.listReceipts({ id, messageId });
      expect(receipts).toMatchObject({ delivered: [], read: [{ id: `${BEN}@c.us` }], played: [], remaining: 1 });
    });
    await stack.phones.setOnline(CARLA, true);
    await eventually(async () => {
      const { delivered, remaining } = await stack.client.listReceipts({ id, messageId });
      expect([delivered.map((one) => one.id), remaining]).toEqual([[`${CARLA}@c.us`], 0]);
    });
    // In a chat of two, a reader is also in the list of recipients.
    const toBen = await sentTo(BEN, 'read this, too');
    await eventually(async () => expect(await onPhone(BEN, 'read this, too')).toBeDefined());
    await stack.phones.read(BEN, ADA);
    await eventually(async () => {
      const ben = [{ id: chatId }];
      const receipts = await stack.client.listReceipts({ id, messageId: toBen });
      expect(receipts).toMatchObject({ delivered: ben, read: ben, remaining: 0 });
    });
    expect(await refusalOf(stack.client.listReceipts({ id, messageId: texts[0] ?? '' }))).toEqual(['not_permitted']);
    expect(await refusalOf(stack.client.listReceipts({ id, messageId: UNKNOWN }))).toEqual(['message_not_found']);
  });

  it('has votes, if it is a poll', async () => {
    const options = ['Friday', 'Saturday', 'Sunday'];
    const poll = { type: 'poll', to: BEN, question: 'When?', options, multiple: true } as const;
    const { id: messageId } = await stack.client.sendMessage({ id, ...poll });
    await stack.onPhone(BEN, messageId);
    const votes = { id, messageId };
    expect(await stack.client.listPollVotes(votes)).toEqual([]);
    const vote = (chosen: string[]) => stack.phones.vote(BEN, { messageId: stanzaOf(messageId), options: chosen });
    await vote(['Friday']);
    await vote(['Friday', 'Sunday']);
    await eventually(async () =>
      expect(await stack.client.listPollVotes(votes)).toEqual([
        { from: chatId, options: ['Friday', 'Sunday'], at: expect.any(Number) },
      ]),
    );
    // A vote may name the poll by hidden id.
    const events = await stack.listen(id, ['poll_vote']);
    const voted = { messageId: stanzaOf(messageId), options: ['Saturday'], byOtherId: true };
    await stack.phones.vote(BEN, voted);
    const received = await events.until('poll_vote', ({ options: [option] }) => option === 'Saturday');
    expect(received).toMatchObject({ pollId: messageId, chatId, from: chatId });
    expect(await stack.client.listPollVotes(votes)).toMatchObject([{ from: chatId, options: ['Saturday'] }]);
    await stack.phones.vote(BEN, { ...voted, options: [] });
    await eventually(async () => expect(await stack.client.listPollVotes(votes)).toEqual([]));
    const text = { id, messageId: texts[0] ?? '' };
    expect(await refusalOf(stack.client.listPollVotes(text))).toEqual(['message_not_found']);
  });

  it('has its small preview, or none', async () => {
    const events = await stack.listen(id);
    const [png] = media;
    const base64 = Buffer.from(png?.bytes ?? []).toString('base64');
    await stack.phones.send(BEN, { to: ADA, media: { kind: 'image', base64, mimeType: 'image/png' } });
    const { id: messageId } = await events.until('message', ({ hasMedia }) => hasMedia);
    const preview = await stack.client.getThumbnail({ id, messageId });
    const bytes = await downloadedBytes(preview);
    expect([preview?.mimeType, ...bytes.subarray(0, 3)]).toEqual(['image/jpeg', 0xff, 0xd8, 0xff]);
    expect(await stack.client.getThumbnail({ id, messageId: texts[0] ?? '' })).toBeNull();
    expect(await refusalOf(stack.client.getThumbnail({ id, messageId: UNKNOWN }))).toEqual(['message_not_found']);
  });
});

describe('the messages of a chat', () => {
  const bodies = ({ messages }: { readonly messages: readonly { readonly body: string }[] }) =>
    messages.map(({ body }) => body);

  it('come page by page, in both directions', async () => {
    const first = await stack.client.listMessages({ id, chatId, after: texts[0], limit: 3 });
    expect([bodies(first), first.hasMore]).toEqual([['two', 'three', 'four'], true]);
    const { lid } = await stack.phones.account(BEN);
    expect(await stack.client.listMessages({ id, chatId: lid, after: texts[0], limit: 3 })).toEqual(first);
    const last = await stack.client.listMessages({ id, chatId, after: texts[3], limit: 3 });
    expect(bodies(last)).toEqual(['five', 'Parcel 4711 is on its way', 'seven']);
    const { messages: all } = await stack.client.listMessages({ id, chatId });
    const [next, end] = all.slice(-2);
    for (const limit of [1, 2]) {
      const atEnd = await stack.client.listMessages({ id, chatId, after: next?.id, limit });
      expect([atEnd.messages.map((one) => one.id), atEnd.hasMore]).toEqual([[end?.id], false]);
    }
    expect(await stack.client.listMessages({ id, chatId, after: end?.id })).toMatchObject({
      messages: [],
      hasMore: false,
    });
    const before = await stack.client.listMessages({ id, chatId: `+${BEN}`, before: texts[3], limit: 2 });
    expect([bodies(before), before.hasMore]).toEqual([['two', 'three'], true]);
    const oldest = await stack.client.listMessages({ id, chatId, before: texts[1] });
    expect([bodies(oldest), oldest.hasMore]).toEqual([['one'], false]);
    const newest = await stack.client.listMessages({ id, chatId });
    expect(bodies(newest)).toEqual(expect.arrayContaining(['one', 'seven']));
  });

  it('are those that the page shows, as are its events and the messages found by id', async () => {
    const grace = `${GRACE}@c.us`;
    const events = await stack.listen(id);
    const [png] = media;
    const photo = {
      kind: 'image',
      base64: Buffer.from(png?.bytes ?? []).toString('base64'),
      mimeType: 'image/png',
    } as const;
    await stack.phones.send(GRACE, { to: ADA, body: 'photo', media: photo });
    // The same photo in HD, a picture of an album, and a text for later.
    const hd = await stack.phones.send(GRACE, { to: ADA, body: 'in HD', media: photo, viewMode: 'HIDDEN' });
    await stack.phones.send(GRACE, { to: ADA, body: 'album', media: photo, viewMode: 'MEDIA_ALBUM' });
    await stack.phones.send(GRACE, { to: ADA, body: 'later', viewMode: 'SCHEDULED_MESSAGE' });
    await stack.phones.send(GRACE, { to: ADA, body: 'text' });
    await events.until('message', ({ body }) => body === 'text');
    const shown = ['photo', 'album', 'text'];
    expect(events.all('message').map(({ body }) => body)).toEqual(shown);
    expect(bodies(await stack.client.listMessages({ id, chatId: grace }))).toEqual(shown);
    const hidden = { id, messageId: `false_${grace}_${hd.id}` };
    expect(await refusalOf(stack.client.getMessage(hidden))).toEqual(['message_not_found']);
  });

  it('are not listed for invalid parameters', async () => {
    const list = (input: object) => refusalOf(stack.client.listMessages({ id, chatId, ...input } as never));
    expect(await list({ before: texts[0], after: texts[1] })).toEqual(['invalid_request', 'after']);
    expect(await list({ limit: 0 })).toEqual(['invalid_request', 'limit']);
    expect(await list({ limit: 1.5 })).toEqual(['invalid_request', 'limit']);
    expect(await list({ limit: 'many' })).toEqual(['invalid_request', 'limit']);
    expect(await list({ chatId: '12025550777' })).toEqual(['chat_not_found']);
    expect(await list({ before: UNKNOWN })).toEqual(['message_not_found']);
    const response = await fetch(`${stack.gateway.url}/sessions/${id}/chats/${chatId}/messages?limt=5`);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { issues: [{ path: 'limt', message: 'is unknown; did you mean limit?' }] },
    ]);
  });

  it('include those that only the phone has, once they are loaded', async () => {
    const carla = { id, chatId: `${CARLA}@c.us` };
    await stack.phones.send(CARLA, { to: ADA, body: 'newest' });
    await stack.phones.keepOlderMessages(ADA, { with: CARLA, count: 60 });
    const oldest = async () => {
      const page = await stack.client.listMessages({ ...carla, limit: 200 });
      return [page.messages[0]?.body, page.messages.length, page.isOlderOnPhone];
    };
    await eventually(async () => expect(await oldest()).toEqual(['newest', 1, true]));

    expect(await stack.client.loadOlderMessages(carla)).toEqual({
      chatId: carla.chatId,
      loaded: true,
      isOlderOnPhone: true,
    });
    expect(await oldest()).toEqual(['Old message 11', 51, true]);
    expect(await stack.client.loadOlderMessages(carla)).toMatchObject({ loaded: true, isOlderOnPhone: false });
    expect(await oldest()).toEqual(['Old message 1', 61, false]);
    expect(await stack.client.loadOlderMessages(carla)).toMatchObject({ loaded: false, isOlderOnPhone: false });
  });

  it('are loaded from the phone for a chat without any', async () => {
    const number = '12025550190';
    await stack.phones.addAccount({ number, name: 'An old friend' });
    await stack.phones.keepOlderMessages(ADA, { with: number, count: 2 });
    const friend = { id, chatId: `${number}@c.us` };
    await eventually(async () =>
      expect(await stack.client.listMessages(friend)).toMatchObject({ messages: [], isOlderOnPhone: true }),
    );
    expect(await stack.client.loadOlderMessages(friend)).toMatchObject({ loaded: true, isOlderOnPhone: false });
    expect(bodies(await stack.client.listMessages(friend))).toEqual(['Old message 1', 'Old message 2']);
  });

  it('stay on a phone that does not share them', async () => {
    const dora = { id, chatId: `${DEV}@c.us` };
    const refused = async () => {
      const error = await stack.client.loadOlderMessages(dora).catch((thrown: GatewayError) => thrown);
      return error instanceof GatewayError ? [error.code, error.message] : error;
    };
    await stack.phones.send(DEV, { to: ADA, body: 'newest' });
    await stack.phones.keepOlderMessages(ADA, { with: DEV, count: 60 });
    await eventually(async () =>
      expect(await stack.client.listMessages(dora)).toMatchObject({
        messages: [{ body: 'newest' }],
        isOlderOnPhone: true,
      }),
    );
    await stack.phones.answerForOlderMessages(ADA, 'not_shared');
    expect(await refused()).toEqual(['not_permitted', expect.stringContaining('All chat history')]);
    expect((await stack.client.listMessages(dora)).isOlderOnPhone).toBe(true);
    // Its owner may have allowed it meanwhile, so the phone is asked again.
    await stack.phones.answerForOlderMessages(ADA, 'ended');
    expect(await stack.client.loadOlderMessages(dora)).toMatchObject({ loaded: true, isOlderOnPhone: true });
    expect(await refused()).toEqual(['not_permitted', expect.stringContaining('does not send more')]);
    expect((await stack.client.listMessages({ ...dora, limit: 200 })).messages).toHaveLength(51);
    await stack.phones.answerForOlderMessages(ADA, 'shared');
    const unknown = { id, chatId: '12025550777' };
    expect(await refusalOf(stack.client.loadOlderMessages(unknown))).toEqual(['chat_not_found']);
  });

  it('are not awaited forever from a phone that is off', async () => {
    const emil = { id, chatId: `${EDITH}@c.us` };
    const refused = async () => (await stack.client.loadOlderMessages(emil).catch((error: Error) => error)) as Error;
    await stack.phones.send(EDITH, { to: ADA, body: 'newest' });
    await stack.phones.keepOlderMessages(ADA, { with: EDITH, count: 1 });
    await eventually(async () => expect((await stack.client.listMessages(emil)).isOlderOnPhone).toBe(true));
    await stack.phones.setOnline(ADA, false);
    expect(await refused()).toMatchObject({
      code: 'client_failed',
      message: expect.stringContaining('did not answer'),
    });
    await refused();
    await refused();
    // The page pauses its requests without reporting it.
    expect(await refused()).toMatchObject({ code: 'client_failed', message: expect.stringContaining('paused') });
    await stack.phones.setOnline(ADA, true);
  });

  it('are found by the beginnings of their words', async () => {
    const found = await stack.client.searchMessages({ id, text: 'parc 47' });
    expect([bodies(found), found.hasMore]).toEqual([['Parcel 4711 is on its way'], false]);
    expect(bodies(await stack.client.searchMessages({ id, text: 'parcel', chatId }))).toHaveLength(1);
    const { lid } = await stack.phones.account(BEN);
    expect(bodies(await stack.client.searchMessages({ id, text: 'parcel', chatId: lid }))).toHaveLength(1);
    const other = await stack.createGroup(ADA, { subject: 'Others', participants: [BEN] });
    await sentTo(other.id, 'a parcel, too');
    expect(bodies(await stack.client.searchMessages({ id, text: 'parcel', chatId }))).toHaveLength(1);
    const one = await stack.client.searchMessages({ id, text: 'parcel', limit: 1 });
    expect([bodies(one), one.hasMore]).toEqual([['a parcel, too'], true]);
    await sentTo(other.id, 'one more parcel');
    const all = await stack.client.searchMessages({ id, text: 'parcel' });
    expect(bodies(all)).toEqual(['one more parcel', 'a parcel, too', 'Parcel 4711 is on its way']);
    const two = await stack.client.searchMessages({ id, text: 'parcel', limit: 1, page: 3 });
    expect([bodies(two), two.hasMore]).toEqual([['Parcel 4711 is on its way'], false]);
    expect(await refusalOf(stack.client.searchMessages({ id, text: ' ' }))).toEqual(['invalid_request', 'text']);
    const none = await stack.client.searchMessages({ id, text: 'nothing like it' });
    expect([bodies(none), none.hasMore]).toEqual([[], false]);
    const unknown = { id, text: 'parcel', chatId: '12025550777' };
    expect(await refusalOf(stack.client.searchMessages(unknown))).toEqual(['chat_not_found']);
  });
});
