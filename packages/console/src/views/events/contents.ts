import type { ListenedEvent } from '@chat-web/host';
import type { EventName } from '@chat-web/protocol';
import { counted } from '../../parts/format.ts';

const MESSAGE_SHOWN = [
  'id',
  'from',
  'to',
  'author',
  'username',
  'fromMe',
  'type',
  'timestamp',
  'ack',
  'hasMedia',
  'mimeType',
  'isForwarded',
  'isStatus',
  'quotedMessageId',
  'mentionedIds',
  'mentionAll',
  'voice',
  'note',
  'gif',
  'viewOnce',
  'unavailable',
  'albumId',
  'community',
];
const GROUP_SHOWN = ['id', 'groupId', 'by', 'fromMe', 'participants'];

/** The fields of each event that are always shown. All others are contents. */
const SHOWN: { readonly [N in EventName]: readonly string[] } = {
  qr: [],
  pairing_code: ['expiresAt'],
  ready: ['wid', 'phone'],
  passkey_required: ['message'],
  message: MESSAGE_SHOWN,
  message_ack: ['id', 'ack'],
  disconnected: ['reason', 'message'],
  status: ['status', 'reason', 'message', 'restarts', 'nextAttemptAt'],
  limits: ['limits'],
  gap: ['reason', 'from', 'to'],
  message_sent: MESSAGE_SHOWN,
  message_reaction: ['messageId', 'chatId', 'from', 'fromMe', 'at'],
  poll_vote: ['pollId', 'chatId', 'from', 'fromMe', 'at'],
  message_edited: ['id', 'chatId', 'from', 'fromMe', 'at'],
  message_revoked: ['id', 'chatId', 'from', 'by', 'fromMe'],
  group_joined: GROUP_SHOWN,
  group_left: GROUP_SHOWN,
  group_request: GROUP_SHOWN,
  group_updated: [...GROUP_SHOWN, 'change'],
  chat_updated: ['chatId', 'unreadCount', 'archived', 'pinned', 'mutedUntil'],
  presence: ['chatId', 'from', 'state', 'lastSeen'],
  call: ['id', 'chatId', 'from', 'fromMe', 'video', 'group', 'state', 'at'],
};

/** The data of an event without what people wrote, and without what links an account. */
export function withoutContents({ name, data }: Pick<ListenedEvent, 'name' | 'data'>): unknown {
  if (typeof data !== 'object') return hidden(data);
  const fields = Object.entries(data).map(([field, value]) => [
    field,
    SHOWN[name].includes(field) ? value : hidden(value),
  ]);
  return Object.fromEntries(fields);
}

function hidden(value: unknown): string {
  return typeof value === 'string' ? `(hidden: ${counted(value.length, 'character')})` : '(hidden)';
}
