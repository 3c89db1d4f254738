import { ACCOUNT_EVENTS } from '@chat-web/protocol';
import { ADA, BEN, CARLA, DEV, eventually, media } from '@chat-web/testing';
import { stanzaOf } from '@chat-web/testing/stack';
import { sharedAccountStory } from '@chat-web/testing/story';
import { describe, expect, it, vi } from 'vitest';

const [ada, ben] = [`${ADA}@c.us`, `${BEN}@c.us`];
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const PNG = Buffer.from(media.find(({ type }) => type === 'image')?.bytes ?? []).toString('base64');
const story = sharedAccountStory();
const { stack, fromBen, toBen, duringCrash } = story;

describe('reactions', () => {
  it('are one event each, and so are removals: of others, of the account and through the gateway', async () => {
    const question = await fromBen('do you like it?');
    const answer = await toBen('yes');
    await stack.phones.react(BEN, { messageId: answer.stanza, emoji: '👍' });
    await story.events.until('message_reaction', ({ emoji }) => emoji === '👍');
    await stack.phones.react(BEN, { messageId: answer.stanza, emoji: '' });
    await story.events.until('message_reaction', ({ emoji }) => emoji === '');
    await stack.phones.react(ADA, { messageId: question.stanza, emoji: '🎉' });
    await story.events.until('message_reaction', ({ emoji }) => emoji === '🎉');
    await stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: question.id, emoji: '🚀' });
    await story.events.until('message_reaction', ({ emoji }) => emoji === '🚀');
    await stack.settled();
    const byBen = { chatId: ben, from: ben, senderName: 'Ben Okafor', at: isoTime };
    expect(story.events.all('message_reaction')).toEqual([
      { ...byBen, messageId: answer.id, emoji: '👍' },
      { ...byBen, messageId: answer.id, emoji: '' },
      { messageId: question.id, chatId: ben, from: ada, emoji: '🎉', fromMe: true, at: isoTime },
      { messageId: question.id, chatId: ben, from: ada, emoji: '🚀', fromMe: true, at: isoTime },
    ]);
  });

  it('in a group name who reacted', async () => {
    const { id: group } = await stack.phones.createGroup(ADA, { subject: 'Trip', participants: [BEN] });
    const { id: stanza } = await stack.phones.send(ADA, { to: group, body: 'where to?' });
    const asked = await story.events.until('message_sent', ({ body }) => body === 'where to?');
    await stack.onPhone(BEN, asked.id);
    await stack.phones.react(BEN, { messageId: stanza, emoji: '🏔' });
    const reaction = await story.events.until('message_reaction', ({ emoji }) => emoji === '🏔');
    expect(reaction).toMatchObject({ messageId: asked.id, chatId: group, from: ben });
  });
});

it('a reaction that is already known is not reported when the page stores it again: hours later, or when its chat is read', async () => {
  const { stanza } = await toBen('long ago');
  await stack.phones.react(BEN, { messageId: stanza, emoji: '👴' });
  await story.events.until('message_reaction', ({ emoji }) => emoji === '👴');
  await stack.phones.age(stanza, 2 * 3_600_000);
  await fromBen('unread');
  await stack.client.markChatRead({ id: 'main', chatId: BEN });
  await stack.settled();
  expect(story.events.all('message_reaction').filter(({ emoji }) => emoji === '👴')).toHaveLength(1);
});

describe('votes in polls', () => {
  const options = ['Friday', 'Saturday', 'Sunday'];

  it('are one event each, with all chosen options, also when the vote is withdrawn', async () => {
    const poll = { type: 'poll', to: BEN, question: 'When?', options, multiple: true } as const;
    const { id } = await stack.client.sendMessage({ id: 'main', ...poll });
    await stack.onPhone(BEN, id);
    const messageId = stanzaOf(id);
    for (const chosen of [['Saturday'], ['Friday', 'Sunday'], []]) {
      await stack.phones.vote(BEN, { messageId, options: chosen });
      await story.events.until('poll_vote', (vote) => vote.options.join() === chosen.join());
    }
    await duringCrash(() => stack.phones.vote(BEN, { messageId, options: ['Sunday'] }));
    const vote = { pollId: id, chatId: ben, from: ben, at: isoTime };
    const votes = [['Saturday'], ['Friday', 'Sunday'], [], ['Sunday']];
    expect(story.events.all('poll_vote')).toEqual(votes.map((chosen) => ({ ...vote, options: chosen })));
  });
});

it('actions of several people in the same millisecond are one event each', async () => {
  const { id: group } = await stack.phones.createGroup(ADA, { subject: 'Lunch', participants: [BEN, CARLA] });
  await story.events.until('group_joined', ({ groupId }) => groupId === group);
  const options = ['Here', 'There'];
  const poll = { type: 'poll', to: group, question: 'Where?', options, multiple: false } as const;
  const { id } = await stack.client.sendMessage({ id: 'main', ...poll });
  const messageId = stanzaOf(id);
  for (const number of [BEN, CARLA]) await stack.onPhone(number, id);
  vi.useFakeTimers({ toFake: ['Date'] }); // The phones use this clock.
  for (const number of [BEN, CARLA]) {
    await stack.phones.react(number, { messageId, emoji: '🍝' });
    await stack.phones.vote(number, { messageId, options: ['Here'] });
  }
  vi.useRealTimers();
  const both = [ben, `${CARLA}@c.us`];
  await eventually(() => expect(story.events.all('poll_vote').filter(({ pollId }) => pollId === id)).toHaveLength(2));
  const reactions = () => story.events.all('message_reaction').filter(({ emoji }) => emoji === '🍝');
  await eventually(() => expect(reactions().map(({ from }) => from)).toEqual(both));
  await duringCrash(async () => {});
  expect(story.events.all('poll_vote').filter(({ pollId }) => pollId === id)).toMatchObject(
    both.map((from) => ({ from })),
  );
  expect(reactions()).toHaveLength(2);
});

describe('edits', () => {
  it('are one event each with the new text, of others and of the account itself', async () => {
    const theirs = await fromBen('teh text');
    await stack.phones.edit(BEN, theirs.stanza, 'the text');
    await story.events.until('message_edited', ({ body }) => body === 'the text');
    await stack.phones.edit(BEN, theirs.stanza, 'this text');
    const mine = await toBen('min');
    await stack.client.editMessage({ id: 'main', messageId: mine.id, body: 'mine' });
    await story.events.until('message_edited', ({ body }) => body === 'mine');
    await stack.settled();
    expect(story.events.all('message_edited')).toEqual([
      { id: theirs.id, chatId: ben, from: ben, body: 'the text', at: isoTime },
      { id: theirs.id, chatId: ben, from: ben, body: 'this text', at: isoTime },
      { id: mine.id, chatId: ben, from: ada, body: 'mine', fromMe: true, at: isoTime },
    ]);
  });

  it('of a poll contain its new question', async () => {
    const poll = { question: 'Wen?', options: ['Now', 'Later'] };
    const { id } = await stack.client.sendMessage({ id: 'main', type: 'poll', to: BEN, ...poll });
    await stack.onPhone(BEN, id);
    await stack.phones.edit(ADA, stanzaOf(id), 'When?');
    const edit = await story.events.until('message_edited', (edited) => edited.id === id);
    expect(edit).toEqual({ id, chatId: ben, from: ada, body: 'When?', fromMe: true, at: isoTime });
  });

  it('of the account are reported only if the network accepts them, as are its reactions', async () => {
    const mine = await toBen('unchanged');
    const theirs = await fromBen('no comment');
    const edit = (body: string) => stack.client.editMessage({ id: 'main', messageId: mine.id, body });
    const react = (emoji: string) =>
      stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: theirs.id, emoji });
    await stack.phones.refuseRequests(ADA, { requests: ['edit', 'react'], code: 500 });
    for (const _ of ['once', 'twice']) await expect(edit('refused')).rejects.toMatchObject({ code: 'not_permitted' });
    await expect(react('👎')).rejects.toMatchObject({ code: 'not_permitted' });
    await stack.phones.refuseRequests(ADA, { requests: ['edit', 'react'], code: null });
    await duringCrash(async () => {});
    await edit('changed');
    await react('👏');
    await story.events.until('message_edited', ({ body }) => body === 'changed');
    await story.events.until('message_reaction', ({ emoji }) => emoji === '👏');
    await stack.settled();
    const edits = story.events.all('message_edited').filter(({ id }) => id === mine.id);
    expect(edits.map(({ body }) => body)).toEqual(['changed']);
    const reactions = story.events.all('message_reaction').filter(({ messageId }) => messageId === theirs.id);
    expect(reactions.map(({ emoji }) => emoji)).toEqual(['👏']);
  });
});

it('deletions for everyone are one event each, with who did it', async () => {
  const theirs = await fromBen('oops');
  await stack.phones.revoke(BEN, theirs.stanza);
  await story.events.until('message_revoked', ({ id }) => id === theirs.id);
  const { id: group } = await stack.phones.createGroup(BEN, { subject: 'Club', participants: [ADA, CARLA] });
  const { id: stanza } = await stack.phones.send(CARLA, { to: group, body: 'spam' });
  const spam = await story.events.until('message', ({ body }) => body === 'spam');
  await stack.phones.revoke(BEN, stanza);
  await story.events.until('message_revoked', ({ id }) => id === spam.id);
  await stack.settled();
  expect(story.events.all('message_revoked')).toEqual([
    { id: theirs.id, chatId: ben, from: ben, by: ben },
    { id: spam.id, chatId: group, from: `${CARLA}@c.us`, by: ben },
  ]);
});

it('messages that the page has not loaded are reported nevertheless when they are edited or deleted, once each', async () => {
  const { id: group } = await stack.phones.createGroup(BEN, { subject: 'Choir', participants: [ADA, CARLA] });
  const { id: stanza } = await stack.phones.send(CARLA, { to: group, body: 'wrong group' });
  const wrong = await story.events.until('message', ({ body }) => body === 'wrong group');
  const [teh, oops] = [await fromBen('teh old text'), await fromBen('old oops')];
  const old = [stanza, teh.stanza, oops.stanza];
  // More than the page loads at its start. Some of these are older than what is looked up afterwards.
  for (let n = 0; n < 20; n += 1)
    for (const to of [ADA, group]) {
      const { id } = await stack.phones.send(BEN, { to, body: `${n} for ${to}` });
      if (n === 0) old.push(id);
    }
  await story.events.until('message', ({ body }) => body === `19 for ${group}`);
  for (const id of old) await stack.phones.age(id, 10 * 60_000);
  await duringCrash(async () => {});
  await stack.phones.edit(BEN, teh.stanza, 'the old text');
  await stack.phones.revoke(BEN, oops.stanza);
  await stack.phones.revoke(BEN, stanza);
  await story.events.until('message_revoked', ({ id }) => id === wrong.id);
  await duringCrash(async () => {});
  await stack.client.listMessages({ id: 'main', chatId: BEN, limit: 60 });
  await stack.settled();
  expect(story.events.all('message_edited').filter(({ id }) => id === teh.id)).toEqual([
    { id: teh.id, chatId: ben, from: ben, body: 'the old text', at: isoTime },
  ]);
  expect(story.events.all('message_revoked').filter(({ id }) => [oops.id, wrong.id].includes(id))).toEqual([
    { id: oops.id, chatId: ben, from: ben, by: ben },
    { id: wrong.id, chatId: group, from: `${CARLA}@c.us`, by: ben },
  ]);
});

it('messages that the account sent on another device are one event each; those of the gateway are none', async () => {
  const mine = await toBen('from the gateway');
  await stack.client.sendMessage({ id: 'main', type: 'image', to: BEN, base64: PNG, caption: 'also' });
  const { id: stanza } = await stack.phones.send(ADA, { to: BEN, body: 'from the phone' });
  const sent = await story.events.until('message_sent', ({ body }) => body === 'from the phone');
  expect(sent).toMatchObject({ id: `true_${ben}_${stanza}`, from: ada, to: ben, fromMe: true, type: 'text' });
  await stack.settled();
  const bodies = story.events.all('message_sent').map(({ body }) => body);
  expect(bodies.filter((body) => body === 'from the phone')).toHaveLength(1);
  expect(bodies).not.toContain('from the gateway');
  expect(bodies).not.toContain('also');
  expect(story.events.all('message').map(({ id }) => id)).not.toContain(mine.id);
});

describe('presence', () => {
  it('is reported for chats with a subscription, while the account itself is shown as online', async () => {
    const carla = `${CARLA}@c.us`;
    await fromBen('good evening');
    await stack.phones.send(CARLA, { to: ADA, body: 'hello' });
    await story.events.until('message', ({ body }) => body === 'hello');
    await stack.client.setPresence({ id: 'main', presence: 'available' });
    await stack.phones.openApp(BEN, true);
    const subscribe = (chatId: string) => stack.client.subscribePresence({ id: 'main', chatId });
    expect(await subscribe(ben)).toEqual({ chatId: ben, state: 'available' });
    await stack.phones.showState(BEN, { to: ADA, state: 'typing' });
    await story.events.until('presence', ({ state }) => state === 'typing');
    await stack.phones.showState(BEN, { to: ADA, state: 'recording' });
    await story.events.until('presence', ({ state }) => state === 'recording');
    await stack.phones.showState(BEN, { to: ADA, state: 'paused' });
    // Neither the presence of others is reported, nor what Ben does elsewhere.
    await stack.phones.showState(CARLA, { to: ADA, state: 'typing' });
    await stack.phones.showState(BEN, { to: CARLA, state: 'typing' });
    await stack.phones.openApp(BEN, false);
    await story.events.until('presence', ({ state }) => state === 'unavailable');
    await stack.settled();
    const ofBen = { chatId: ben, from: ben };
    expect(story.events.all('presence')).toEqual([
      ...['available', 'typing', 'recording', 'available'].map((state) => ({ ...ofBen, state })),
      { ...ofBen, state: 'unavailable', lastSeen: isoTime },
    ]);
    // A person known by hidden id.
    const answer = await subscribe(carla);
    expect(answer).toEqual({ chatId: carla, state: 'unavailable' });
    await stack.phones.showState(CARLA, { to: ADA, state: 'typing' });
    await story.events.until('presence', ({ from, state }) => from === carla && state === 'typing');
    expect(await subscribe('12025550777').catch(({ code }) => code)).toBe('chat_not_found');
    // The page forgets presence while the account is away or the connection is lost. Only typing ends with that.
    await stack.phones.openApp(BEN, true);
    const all = () => story.events.all('presence').filter(({ from }) => from === ben);
    await eventually(() => expect(all().slice(5)).toMatchObject([{ state: 'available' }]));
    const away = async () => {
      await stack.client.setPresence({ id: 'main', presence: 'unavailable' });
      await stack.settled();
      await stack.client.setPresence({ id: 'main', presence: 'available' });
      // Waits until the network has sent it again: a later response would end his typing.
      expect(await subscribe(ben)).toEqual({ chatId: ben, state: 'available' });
      await stack.settled();
    };
    await away();
    expect(all().slice(6)).toEqual([]);
    await stack.phones.showState(BEN, { to: ADA, state: 'typing' });
    await eventually(() => expect(all().slice(6)).toMatchObject([{ state: 'typing' }]));
    const before = all().length;
    await away();
    expect(all().slice(before)).toEqual([{ ...ofBen, state: 'available' }]);
    await stack.phones.disconnect(ADA);
    await stack.settled();
    await stack.phones.openApp(BEN, false);
    await stack.phones.reconnect(ADA);
    const gone = { ...ofBen, state: 'unavailable', lastSeen: isoTime };
    await eventually(() => expect(all().slice(before + 1)).toEqual([gone]));
    await stack.client.setPresence({ id: 'main', presence: 'unavailable' });
    expect(await subscribe(`${DEV}@c.us`).catch(({ code }) => code)).toBe('chat_not_found');
  });

  it('in a group is reported with the participant', async () => {
    await stack.client.setPresence({ id: 'main', presence: 'available' });
    const { id: group } = await stack.phones.createGroup(ADA, { subject: 'Dinner', participants: [BEN] });
    await story.events.until('group_joined', ({ groupId }) => groupId === group);
    expect(await stack.client.subscribePresence({ id: 'main', chatId: group })).toEqual({ chatId: group });
    await stack.phones.showState(BEN, { to: group, state: 'typing' });
    await story.events.until('presence', ({ chatId }) => chatId === group);
    await stack.phones.showState(BEN, { to: group, state: 'paused' });
    await story.events.until('presence', ({ chatId, state }) => chatId === group && state === 'unavailable');
    expect(story.events.all('presence').filter(({ chatId }) => chatId === group)).toEqual([
      { chatId: group, from: ben, state: 'typing' },
      { chatId: group, state: 'unavailable' },
    ]);
    await stack.client.setPresence({ id: 'main', presence: 'unavailable' });
  });
});

describe('groups', () => {
  const carla = `${CARLA}@c.us`;

  it('report who joined and left, who did it, and what was changed', async () => {
    const { id: groupId } = await stack.phones.createGroup(BEN, { subject: 'Trip', participants: [ADA] });
    await story.events.until('group_joined', (data) => data.groupId === groupId);
    await stack.phones.updateGroup(BEN, groupId, { subject: 'Journey', add: [CARLA], promote: [ADA] });
    await story.events.until('group_updated', ({ change }) => change === 'promote');
    await stack.phones.updateGroup(BEN, groupId, { remove: [CARLA], leave: true });
    const of = (name: 'group_joined' | 'group_left' | 'group_updated') =>
      story.events.all(name).filter((data) => data.groupId === groupId);
    await eventually(() => expect(of('group_left')).toHaveLength(2));
    await stack.settled();
    const id = expect.stringContaining(`_${groupId}_`);
    expect(of('group_joined')).toMatchObject([
      { id, by: ben, participants: expect.arrayContaining([ada]) },
      { id, by: ben, participants: [carla] },
    ]);
    expect(of('group_updated')).toEqual([
      { id, groupId, by: ben, change: 'subject', participants: [], value: 'Journey' },
      { id, groupId, by: ben, change: 'promote', participants: [ada] },
    ]);
    expect(of('group_left')).toEqual([
      { id, groupId, by: ben, participants: [carla] },
      { id, groupId, by: ben, participants: [ben] },
    ]);
  });

  it('report requests to join', async () => {
    const { id: groupId } = await stack.phones.createGroup(ADA, { subject: 'Club', participants: [BEN] });
    await stack.phones.notice(ADA, { kind: 'membership_approval_request', from: groupId, by: CARLA });
    const request = await story.events.until('group_request');
    expect(request).toEqual({ id: expect.any(String), groupId, by: carla, participants: [carla] });
  });
});

describe('calls', () => {
  it('are reported when they ring and when they end, with the outcome, once each', async () => {
    const { id } = await stack.phones.ring(BEN, { to: ADA, video: true });
    await story.events.until('call', ({ state }) => state === 'ringing');
    await stack.phones.hangUp(BEN, { to: ADA, id, video: true, outcome: 'Missed' });
    await story.events.until('call', ({ state }) => state === 'missed');
    await stack.settled();
    const call = { id, chatId: ben, from: ben, senderName: 'Ben Okafor', video: true, group: false, at: isoTime };
    expect(story.events.all('call')).toEqual([
      { ...call, state: 'ringing' },
      { ...call, state: 'missed' },
    ]);
  });

  it('are rejected while they ring, only by this account', async () => {
    const { id: callId } = await stack.phones.ring(BEN, { to: ADA });
    await story.events.until('call', (call) => call.id === callId);
    const reject = (id: string) => stack.client.rejectCall({ id: 'main', callId: id });
    expect(await reject('00C28E4F').catch(({ code }) => code)).toBe('call_not_found');
    expect(await reject(callId)).toEqual({ callId, rejected: true });
    await story.events.until('call', (call) => call.id === callId && call.state === 'rejected');
    expect(await reject(callId).catch(({ code }) => code)).toBe('call_not_found');
    expect(await reject('no call').catch(({ issues }) => issues)).toMatchObject([{ path: 'callId' }]);

    await stack.phones.refuseRequests(ADA, { requests: ['reject-call'], code: 500 });
    const { id: kept } = await stack.phones.ring(BEN, { to: ADA });
    await story.events.until('call', (call) => call.id === kept);
    expect(await reject(kept).catch(({ code }) => code)).toBe('outcome_unknown');
    await stack.phones.refuseRequests(ADA, { requests: ['reject-call'], code: null });
    await stack.phones.hangUp(BEN, { to: ADA, id: kept, outcome: 'Missed' });
  });
});

describe('chats', () => {
  it('that are read on the phone are one event; a message that makes them unread is none', async () => {
    await fromBen('unread');
    await stack.settled();
    const before = story.events.all('chat_updated').length;
    await fromBen('unread, too');
    await stack.settled();
    expect(story.events.all('chat_updated')).toHaveLength(before);
    await stack.phones.read(ADA, BEN);
    await eventually(() => expect(story.events.all('chat_updated').length).toBeGreaterThan(before));
    await stack.settled();
    expect(story.events.all('chat_updated').slice(before)).toMatchObject([{ chatId: ben, unreadCount: 0 }]);
  });

  it('that are archived, pinned, muted or marked by hand are one event each, with their new state', async () => {
    const seconds = Math.floor(Date.now() / 1_000) + 3_600;
    const mark = (marks: object) => () => stack.phones.mark(ADA, { chat: BEN, ...marks });
    const chat = { id: 'main', chatId: BEN };
    const changes: [change: () => Promise<unknown>, isNow: object][] = [
      [mark({ pinned: true }), { pinned: true }],
      [mark({ archived: true }), { archived: true }], // It is no longer pinned.
      [mark({ archived: false }), {}],
      [mark({ mutedUntil: seconds }), { mutedUntil: new Date(seconds * 1_000).toISOString() }],
      [mark({ mutedUntil: -1 }), { mutedUntil: 'forever' }],
      [mark({ mutedUntil: 0 }), {}],
      [mark({ unread: true }), { unreadCount: 1 }],
      [mark({ unread: false }), {}],
      [() => stack.client.markChatUnread(chat), { unreadCount: 1 }],
      [() => stack.client.markChatRead(chat), {}],
    ];
    const before = story.events.all('chat_updated').length;
    for (const [index, [change]] of changes.entries()) {
      await change();
      await eventually(() => expect(story.events.all('chat_updated')).toHaveLength(before + index + 1));
    }
    await stack.settled();
    const as = { chatId: ben, unreadCount: 0, archived: false, pinned: false, mutedUntil: null };
    expect(story.events.all('chat_updated').slice(before)).toEqual(changes.map(([, isNow]) => ({ ...as, ...isNow })));
  });
});

it('only readers that name these events get them', async () => {
  await stack.phones.react(BEN, { messageId: (await fromBen('for all')).stanza, emoji: '👌' });
  await story.events.until('message_reaction', ({ emoji }) => emoji === '👌');
  const url = `${stack.gateway.url}/events?after=oldest&limit=1000`;
  const answer = await fetch(url, { headers: { Accept: 'application/json' } });
  const { events: page } = (await answer.json()) as { events: { event: string }[] };
  const names = new Set(page.map(({ event }) => event));
  expect(names).toContain('message');
  expect(ACCOUNT_EVENTS.filter((name) => names.has(name))).toEqual([]);
});

it('a page that lacks the table of reactions loses only these events, and the session reports it', async () => {
  await stack.phones.configure({ missingModules: ['WAWebAddonReactionTableMode'] });
  await stack.client.restartSession({ id: 'main' });
  await stack.untilStatus('main', 'ready');
  const { degraded } = await stack.client.getSessionStatus({ id: 'main' });
  expect(degraded).toEqual([
    { capability: 'message_reaction', reason: expect.stringContaining('lacks WAWebAddonReactionTableMode') },
  ]);
  const theirs = await fromBen('another txet');
  await stack.phones.react(BEN, { messageId: theirs.stanza, emoji: '🫥' });
  await stack.phones.edit(BEN, theirs.stanza, 'another text');
  await story.events.until('message_edited', ({ body }) => body === 'another text');
  expect(story.events.all('message_reaction').map(({ emoji }) => emoji)).not.toContain('🫥');
});
