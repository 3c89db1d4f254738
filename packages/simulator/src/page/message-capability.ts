import { chats } from './models/chat.ts';
import type { Msg } from './models/message.ts';
import { EDIT_TIME_LIMIT_MS, isWithinTimeLimit, REVOKE_TIME_LIMIT_MS } from './wire.ts';

/** Files of these kinds are forwarded once the page has downloaded them. */
const downloadedFirst = ['image', 'video', 'ptv', 'ptt'];
/** Types that cannot be forwarded. */
const unforwardable = ['ciphertext', 'groups_v4_invite', 'poll_creation', 'call_log', 'event_creation'];
const captioned = ['image', 'video', 'document'];

/** An own text, within the time limit. */
export function canEditText(msg: Msg): boolean {
  return msg.get('type') === 'chat' && isOwnWithin(msg, EDIT_TIME_LIMIT_MS);
}

/** The same for the caption of a file. */
export function canEditCaption(msg: Msg): boolean {
  return captioned.includes(msg.get('type') ?? '') && isOwnWithin(msg, EDIT_TIME_LIMIT_MS);
}

/** An own message, within the time limit. */
export function canSenderRevokeMsg(msg: Msg): boolean {
  return isShown(msg) && isOwnWithin(msg, REVOKE_TIME_LIMIT_MS);
}

/** The message of any member, in a group where the account is an admin. */
export function canAdminRevokeMsg(msg: Msg): boolean {
  const chat = msg.get('id')?.remote;
  const isAdmin = chat !== undefined && (chats.get(chat)?.iAmAdmin() ?? false);
  return isShown(msg) && isAdmin && isWithinTimeLimit(REVOKE_TIME_LIMIT_MS, msg.get('t') ?? 0);
}

/** A message that a person has written in a chat, and that is not view-once. */
export function canForward(msg: Msg): boolean {
  const isInChat = msg.get('id')?.remote.isBroadcast() === false;
  const type = msg.get('type') ?? '';
  const isLoaded = !downloadedFirst.includes(type) || msg.mediaData?.get('mediaStage') === 'RESOLVED';
  return isShown(msg) && isInChat && isLoaded && !unforwardable.includes(type) && !msg.get('isViewOnce');
}

/** A message that may be starred or pinned: one that was sent and is not view-once. */
export function canMark(msg: Msg): boolean {
  const isUnsent = msg.get('id')?.fromMe === true && (msg.get('ack') ?? 0) < 1;
  return isShown(msg) && !isUnsent && !msg.get('isViewOnce');
}

function isOwnWithin(msg: Msg, limitMs: number): boolean {
  return (msg.get('id')?.fromMe ?? false) && isWithinTimeLimit(limitMs, msg.get('t') ?? 0);
}

function isShown(msg: Msg): boolean {
  return msg.get('type') !== 'revoked' && !msg.isNotification;
}
