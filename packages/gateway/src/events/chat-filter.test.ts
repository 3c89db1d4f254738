import { AUTHORS, CHAT_KINDS, DEFAULT_EVENTS, type EventName, OPT_IN_EVENTS } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { passes } from './chat-filter.ts';

const BEN = '12025550102@c.us';
const GROUP = '120363021@g.us';
const announcements = { community: { id: '120363020@g.us', role: 'announcements' } };

/** The kinds and authors with which an event passes. */
function takenBy(name: EventName, data: object): string[] {
  const event = { text: JSON.stringify(data) };
  return [
    ...CHAT_KINDS.filter((kind) => passes({ chats: [kind] }, name, event)),
    ...AUTHORS.filter((author) => passes({ from: author }, name, event)),
  ];
}

describe('an event with a chat', () => {
  it.each<[EventName, object, string[]]>([
    ['message', { from: BEN, to: '1@c.us', fromMe: false }, ['person', 'others']],
    ['message', { from: '77@lid', to: '1@c.us', fromMe: false }, ['person', 'others']],
    ['message', { from: GROUP, author: BEN, fromMe: false }, ['group', 'others']],
    ['message', { from: GROUP, fromMe: false, ...announcements }, ['community', 'others']],
    ['message', { from: GROUP, community: { id: GROUP, role: 'parent' } }, ['community', 'others']],
    ['message', { from: GROUP, community: { id: GROUP, role: 'group' } }, ['group', 'others']],
    ['message', { from: 'status@broadcast', isStatus: true, fromMe: false }, ['status', 'others']],
    ['message', { from: GROUP, isStatus: true, fromMe: false }, ['status', 'others']],
    ['message', { from: '123456@newsletter', fromMe: false }, ['channel', 'others']],
    ['message_sent', { from: '1@c.us', to: GROUP, fromMe: true }, ['group', 'own']],
    ['message_sent', { from: '1@c.us', to: '5@broadcast', fromMe: true }, ['person', 'own']],
    ['message_ack', { id: `true_${BEN}_3EB0`, ack: 2 }, ['person', 'own']],
    ['message_ack', { id: `true_${GROUP}_3EB0_77@lid`, ack: 2 }, ['group', 'own']],
    ['message_ack', { id: 'true_status@broadcast_3EB0_1@c.us', ack: 2 }, ['status', 'own']],
    ['message_reaction', { messageId: 'x', chatId: BEN, from: BEN }, ['person', 'others']],
    ['message_reaction', { messageId: 'x', chatId: GROUP, from: '1@c.us', fromMe: true }, ['group', 'own']],
    ['message_edited', { id: 'x', chatId: GROUP, from: BEN }, ['group', 'others']],
    ['message_revoked', { id: `true_${GROUP}_1`, chatId: GROUP, from: '1@c.us', by: BEN }, ['group', 'others']],
    ['message_revoked', { id: `false_${GROUP}_1`, chatId: GROUP, by: '1@c.us', fromMe: true }, ['group', 'own']],
    ['poll_vote', { pollId: 'x', chatId: BEN, from: BEN }, ['person', 'others']],
    ['group_joined', { groupId: GROUP, by: BEN }, ['group', 'others']],
    ['group_left', { groupId: GROUP, by: '1@c.us', fromMe: true }, ['group', 'own']],
    ['group_updated', { groupId: GROUP, change: 'subject' }, ['group', 'own', 'others']],
    ['group_request', { groupId: GROUP, by: BEN }, ['group', 'others']],
    ['call', { chatId: BEN, from: BEN }, ['person', 'others']],
    ['presence', { chatId: GROUP }, ['group', 'others']],
    ['chat_updated', { chatId: '123456@newsletter' }, ['channel', 'own']],
  ])('passes by its chat and its author: %s %j', (name, data, taken) => {
    expect(takenBy(name, data)).toEqual(taken);
  });

  it('passes if both match', () => {
    const event = { text: JSON.stringify({ from: GROUP, fromMe: false }) };
    expect(passes({ chats: ['person', 'group'], from: 'others' }, 'message', event)).toBe(true);
    expect(passes({ chats: ['group'], from: 'own' }, 'message', event)).toBe(false);
    expect(passes({ chats: ['person'], from: 'others' }, 'message', event)).toBe(false);
    expect(passes({}, 'message', event)).toBe(true);
  });
});

it('an event without a chat always passes', () => {
  const without: EventName[] = ['qr', 'pairing_code', 'ready', 'passkey_required', 'disconnected'];
  for (const name of [...without, 'status', 'limits', 'gap'] as EventName[])
    expect(takenBy(name, {})).toEqual([...CHAT_KINDS, ...AUTHORS]);
  const withChat = [...DEFAULT_EVENTS, ...OPT_IN_EVENTS].filter((name) => takenBy(name, {}).length < 7);
  expect(withChat).toHaveLength(14);
});
