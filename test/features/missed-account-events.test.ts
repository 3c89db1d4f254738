import { ACCOUNT_EVENTS, type EventName } from '@chat-web/protocol';
import { ADA, BEN, CARLA, eventually } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { sharedAccountStory } from '@chat-web/testing/story';
import { expect, it } from 'vitest';

const ben = `${BEN}@c.us`;
const NAMES: readonly EventName[] = ['ready', 'message', ...ACCOUNT_EVENTS];

const story = sharedAccountStory();
const { stack, fromBen, toBen, duringCrash } = story;

it('reactions added and removed while the session was down are delivered once after recovery', async () => {
  const [one, two] = [await toBen('first'), await toBen('second')];
  await stack.phones.react(BEN, { messageId: one.stanza, emoji: '😀' });
  await story.events.until('message_reaction', ({ emoji }) => emoji === '😀');
  const before = story.events.all('message_reaction').length;
  await duringCrash(async () => {
    await stack.phones.react(BEN, { messageId: two.stanza, emoji: '😎' });
    await stack.phones.react(BEN, { messageId: one.stanza, emoji: '' });
  });
  expect(story.events.all('message_reaction').slice(before)).toMatchObject([
    { messageId: two.id, emoji: '😎' },
    { messageId: one.id, emoji: '' },
  ]);
});

it('events from before the link are not delivered, also if the session restarts during its first sync', async () => {
  await using other = await Stack.start({ simulator: { syncDelayMs: 5_000 } });
  const { id } = await other.phones.send(BEN, { to: ADA, body: 'before the link' });
  await eventually(() => other.phones.react(ADA, { messageId: id, emoji: '🦕' }));
  const { qr = '' } = await other.client.startSession({ id: 'main' });
  const received = await other.listen('main', NAMES);
  await other.phones.scan(ADA, qr);
  await eventually(async () => expect(await other.phones.pages()).toMatchObject([{ socketState: 'CONNECTED' }]));
  expect(await other.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'authenticating' });
  await other.client.restartSession({ id: 'main' });
  await other.untilStatus('main', 'ready');
  await other.phones.react(BEN, { messageId: id, emoji: '🐣' });
  await received.until('message_reaction', ({ emoji }) => emoji === '🐣');
  expect(received.all('message_reaction').map(({ emoji }) => emoji)).toEqual(['🐣']);
});

it('edits made while the session was down are delivered once after recovery', async () => {
  const theirs = await fromBen('see you at 5');
  const before = story.events.all('message_edited').length;
  await duringCrash(() => stack.phones.edit(BEN, theirs.stanza, 'see you at 6'));
  expect(story.events.all('message_edited').slice(before)).toMatchObject([{ id: theirs.id, body: 'see you at 6' }]);
  expect(story.events.all('message').filter(({ id }) => id === theirs.id)).toHaveLength(1);
});

it('deletions for everyone made while the session was down are delivered once after recovery', async () => {
  const theirs = await fromBen('a secret');
  const before = story.events.all('message_revoked').length;
  await duringCrash(() => stack.phones.revoke(BEN, theirs.stanza));
  expect(story.events.all('message_revoked').slice(before)).toEqual([
    { id: theirs.id, chatId: ben, from: ben, by: ben },
  ]);
});

it('messages sent on another device during an outage are delivered once, those of the gateway are not', async () => {
  const before = story.events.all('message_sent').length;
  await toBen('shortly before the crash');
  await duringCrash(() => stack.phones.send(ADA, { to: BEN, body: 'meanwhile' }));
  expect(story.events.all('message_sent').slice(before)).toMatchObject([{ body: 'meanwhile', fromMe: true }]);
});

it('group changes made while the session was down are delivered once after recovery', async () => {
  const { id: groupId } = await stack.phones.createGroup(BEN, { subject: 'Choir', participants: [ADA] });
  await story.events.until('group_joined', (data) => data.groupId === groupId);
  await duringCrash(() => stack.phones.updateGroup(BEN, groupId, { subject: 'Band', add: [CARLA] }));
  const [joined, updated] = (['group_joined', 'group_updated'] as const).map((name) =>
    story.events.all(name).filter((data) => data.groupId === groupId),
  );
  expect(joined).toHaveLength(2);
  expect(updated).toMatchObject([{ change: 'subject', value: 'Band' }]);
});

it('calls that ended while the session was down are delivered once after recovery', async () => {
  const { id } = await stack.phones.ring(BEN, { to: ADA });
  await story.events.until('call', (call) => call.id === id);
  await duringCrash(() => stack.phones.hangUp(BEN, { to: ADA, id, outcome: 'AcceptedElsewhere' }));
  const states = story.events.all('call').flatMap((call) => (call.id === id ? [call.state] : []));
  expect(states).toEqual(['ringing', 'accepted_elsewhere']);
});
