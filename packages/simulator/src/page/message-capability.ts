import { chats } from './models/chat.ts';
import type { Msg } from './models/message.ts';
import { editWindowMs, isWithin, revokeWindowMs } from './windows.ts';

/** Files of these kinds are forwarded once the page has downloaded them. */
const shown = ['image', 'video', 'ptv', 'ptt'];
/** Types that cannot be forwarded. */
const staying = ['ciphertext', 'groups_v4_invite', 'poll_creation', 'call_log', 'event_creation'];
const captioned = ['image', 'video', 'document'];

/** An own text, within the window. */
export function canEditText(msg: Msg): boolean {
  return msg.get('type') === 'chat' && isOwn(msg, editWindowMs);
}

/** The same for the caption of a file. */
export function canEditCaption(msg: Msg): boolean {
  return captioned.includes(msg.get('type') ?? '') && isOwn(msg, editWindowMs);
}

/** An own message, within the window. */
export function canSenderRevokeMsg(msg: Msg): boolean {
  return isThere(msg) && isOwn(msg, revokeWindowMs);
}

/** The message of any member, in a group where the account is an admin. */
export function canAdminRevokeMsg(msg: Msg): boolean {
  const chat = msg.get('id')?.remote;
  const isAdmin = chat !== undefined && (chats.get(chat)?.iAmAdmin() ?? false);
  return isThere(msg) && isAdmin && isWithin(revokeWindowMs, msg.get('t') ?? 0);
}

/** A message that a person has written in a chat, and that is not view-once. */
export function canForward(msg: Msg): boolean {
  const isInChat = msg.get('id')?.remote.isBroadcast() === false;
  const type = msg.get('type') ?? '';
  const isLoaded = !shown.includes(type) || msg.mediaData?.get('mediaStage') === 'RESOLVED';
  return isThere(msg) && isInChat && isLoaded && !staying.includes(type) && !msg.get('isViewOnce');
}

/** A message that may be starred or pinned: one that was sent and is not view-once. */
export function canMark(msg: Msg): boolean {
  const isUnsent = msg.get('id')?.fromMe === true && (msg.get('ack') ?? 0) < 1;
  return isThere(msg) && !isUnsent && !msg.get('isViewOnce');
}

function isOwn(msg: Msg, windowMs: number): boolean {
  return (msg.get('id')?.fromMe ?? false) && isWithin(windowMs, msg.get('t') ?? 0);
}

function isThere(msg: Msg): boolean {
  return msg.get('type') !== 'revoked' && !msg.isNotification;
}
