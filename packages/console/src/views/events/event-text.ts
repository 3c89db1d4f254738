import type { ListenedEvent } from '@chat-web/host';
import type { AccountEventName, Message } from '@chat-web/protocol';
import { counted, limitTexts } from '../../parts/format.ts';
import { shownText } from '../../parts/shown-text.ts';
import { timelineText } from '../session/timeline.tsx';

const ACKS: Readonly<Record<number, string>> = {
  [-1]: 'error',
  0: 'pending',
  1: 'reached the server',
  2: 'delivered',
  3: 'read',
  4: 'played',
};

function ackText(ack: number): string {
  return ACKS[ack] ?? String(ack);
}

/** An event in one line; includes what people wrote only if `withContents`. */
export function eventText(event: ListenedEvent, withContents: boolean): string {
  switch (event.name) {
    case 'message':
      return messageText(event.data, withContents);
    case 'message_ack':
      return `${shownText(event.data.id)}: ${ackText(event.data.ack)}`;
    case 'ready': {
      const { phone, wid, pushname } = event.data;
      return `${shownText(phone || wid)} is linked${withContents && pushname ? `: ${shownText(pushname)}` : ''}`;
    }
    case 'qr':
      return 'a new QR to scan';
    case 'pairing_code':
      return 'a code to type into the phone';
    case 'disconnected':
      return `${shownText(event.data.message, 500)} (${event.data.reason})`;
    case 'limits':
      return limitTexts(event.data.limits).join(', ') || 'no limits of WhatsApp';
    case 'status':
    case 'passkey_required':
    case 'gap':
      return timelineText(event);
    default:
      return accountEventText(event, withContents);
  }
}

function messageText({ from, author, ...message }: ListenedEvent<'message'>['data'], withContents: boolean): string {
  const who = shownText(author === undefined ? from : `${author} in ${from}`);
  return contentText(message, `from ${who}`, withContents);
}

/** Describes changes of messages, groups and chats in one line; includes what people wrote only if `withContents`. */
function accountEventText(event: ListenedEvent<AccountEventName>, withContents: boolean): string {
  switch (event.name) {
    case 'message_sent':
      return contentText(event.data, `to ${shownText(event.data.to)}, sent on another device`, withContents);
    case 'message_reaction': {
      const { from, emoji, messageId } = event.data;
      const reaction =
        emoji === '' ? 'took a reaction back' : `reacted${withContents ? ` with ${shownText(emoji)}` : ''}`;
      return `${shownText(from)} ${reaction}: ${shownText(messageId)}`;
    }
    case 'poll_vote': {
      const { pollId, from, options } = event.data;
      const chosen = withContents
        ? options.map((option) => shownText(option)).join(', ')
        : counted(options.length, 'option');
      return `${shownText(from)} voted in ${shownText(pollId)}: ${options.length === 0 ? 'vote withdrawn' : chosen}`;
    }
    case 'message_edited': {
      const { id, from, body } = event.data;
      const text = withContents ? shownText(body) : counted(body.length, 'character');
      return `${shownText(from)} edited ${shownText(id)}: ${text}`;
    }
    case 'message_revoked': {
      const { id, from, by = from } = event.data;
      return `${shownText(by)} deleted ${shownText(id)} for everyone`;
    }
    case 'call': {
      const { from, chatId, video, group, state } = event.data;
      const where = group ? ` in ${shownText(chatId)}` : '';
      return `${video ? 'video call' : 'call'} of ${shownText(from)}${where}: ${state.replace('_', ' ')}`;
    }
    case 'presence': {
      const { chatId, from, state } = event.data;
      if (from === undefined) return `no activity in ${shownText(chatId)}`;
      return `${shownText(from)} is ${state} in ${shownText(chatId)}`;
    }
    case 'chat_updated': {
      const { chatId, unreadCount, archived, pinned, mutedUntil } = event.data;
      const marks = [archived && 'archived', pinned && 'pinned', mutedUntil && 'muted', `${unreadCount} unread`];
      return `${shownText(chatId)} is now ${marks.filter(Boolean).join(', ')}`;
    }
    case 'group_joined':
      return groupText(event.data, 'joined');
    case 'group_left':
      return groupText(event.data, 'left');
    case 'group_request':
      return groupText(event.data, 'asked to join');
    case 'group_updated': {
      const { groupId, by = 'someone', change, participants, value } = event.data;
      const whom = participants.length > 0 ? ` of ${peopleText(participants)}` : '';
      const now = withContents && value !== undefined ? `: ${shownText(value)}` : '';
      return `${shownText(by)} changed ${shownText(groupId)}: ${shownText(change)}${whom}${now}`;
    }
  }
}

type InGroup = ListenedEvent<'group_joined'>['data'];

function groupText({ groupId, by, participants }: InGroup, did: string): string {
  const isBySelf = by === undefined || participants.every((person) => person === by);
  return `${peopleText(participants)} ${did} ${shownText(groupId)}${isBySelf ? '' : `, by ${shownText(by)}`}`;
}

const MAX_NAMED = 3;

function peopleText(people: readonly string[]): string {
  if (people.length > MAX_NAMED) return counted(people.length, 'person').replace(/persons$/, 'people');
  return people.map((person) => shownText(person)).join(', ') || 'someone';
}

/** The kind of a message and its sender or recipient; includes what people wrote only if `withContents`. */
function contentText(
  { type, body, filename, hasMedia }: Pick<Message, 'type' | 'body' | 'filename' | 'hasMedia'>,
  whose: string,
  withContents: boolean,
): string {
  const kind = shownText(type);
  if (!withContents) return `${kind} ${whose}: ${counted(body.length, 'character')}${hasMedia ? ' and a file' : ''}`;
  const file = filename === undefined ? '' : ` [${shownText(filename)}]`;
  return `${kind} ${whose}: ${shownText(body)}${file}`;
}
