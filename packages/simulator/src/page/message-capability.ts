import { chats } from './models/chat.ts';
import { conn } from './models/conn.ts';
import type { Msg } from './models/message.ts';
import { isWithinTimeLimit, REVOKE_TIME_LIMIT_MS } from './wire.ts';

/** The page may still process an edit that began within the network's limit. */
const EDIT_TIME_LIMIT_MS = 20 * 60_000;

/** Files of these kinds are forwarded once the page has downloaded them. */
const DOWNLOADED_FIRST = ['image', 'video', 'ptv', 'ptt'];
/** Types that cannot be forwarded. */
const UNFORWARDABLE = ['ciphertext', 'groups_v4_invite', 'poll_creation', 'call_log', 'event_creation'];
const CAPTIONED = ['image', 'video', 'document'];

/** An own text, within the time limit. */
export function canEditText(msg: Msg): boolean {
  return msg.get('type') === 'chat' && isEditable(msg);
}

/** The same for the caption of a file. */
export function canEditCaption(msg: Msg): boolean {
  return CAPTIONED.includes(msg.get('type') ?? '') && isEditable(msg);
}

/** An own message, within the time limit. */
export function canSenderRevokeMsg(msg: Msg): boolean {
  return isRevocable(msg) && isOwnWithin(msg, REVOKE_TIME_LIMIT_MS);
}

/** The message of another member, in a group where the account is an admin. */
export function canAdminRevokeMsg(msg: Msg): boolean {
  const isAdmin = chatOf(msg)?.iAmAdmin() ?? false;
  const isOwn = msg.get('id')?.fromMe ?? false;
  return isRevocable(msg) && isAdmin && !isOwn && isWithinTimeLimit(REVOKE_TIME_LIMIT_MS, msg.get('t') ?? 0);
}

/** In a group, only if the page knows its members, and the account is one; never in the note to oneself. */
function isRevocable(msg: Msg): boolean {
  const chat = chatOf(msg);
  const id = chat?.get('id');
  if (!chat || !id || !isShown(msg)) return false;
  return chat.groupMetadata
    ? chat.iAmMember()
    : String(id) !== String(conn.get('wid')) && String(id) !== String(conn.get('lid'));
}

function chatOf(msg: Msg) {
  const chat = msg.get('id')?.remote;
  return chat && chats.get(chat);
}

/** A message that the network has, in a chat that the account may write to. A TypeError for a status: it has no chat. */
export function canReply(msg: Msg): boolean {
  if (msg.get('id')?.remote.isStatus()) throw new TypeError("Cannot read properties of undefined (reading 'canSend')");
  if (msg.get('id')?.remote.isBroadcast() || chatOf(msg)?.canSend === false) return false;
  return isShown(msg) && (msg.get('ack') ?? 0) > 0 && msg.get('type') !== 'ciphertext';
}

/** A message that a person has written in a chat, and that is not view-once, nor the video note of another person. */
export function canForward(msg: Msg): boolean {
  const isInChat = msg.get('id')?.remote.isBroadcast() === false;
  const type = msg.get('type') ?? '';
  const isLoaded = !DOWNLOADED_FIRST.includes(type) || msg.mediaData?.get('mediaStage') === 'RESOLVED';
  const isOthersNote = type === 'ptv' && msg.get('id')?.fromMe !== true;
  return (
    isShown(msg) && isInChat && isLoaded && !isOthersNote && !UNFORWARDABLE.includes(type) && !msg.get('isViewOnce')
  );
}

/** A message that may be starred or pinned: one that was sent and is not view-once. */
export function canMark(msg: Msg): boolean {
  const isUnsent = msg.get('id')?.fromMe === true && (msg.get('ack') ?? 0) < 1;
  return isShown(msg) && !isUnsent && !msg.get('isViewOnce');
}

/** A text or caption of this account, in a chat that it may write to. */
function isEditable(msg: Msg): boolean {
  return (
    isOwnWithin(msg, EDIT_TIME_LIMIT_MS) &&
    // The page stores that this device sent it.
    msg.get('id')?.id.startsWith('3EB0') === true &&
    (msg as { readonly isForwarded?: boolean }).isForwarded !== true &&
    chatOf(msg)?.canSend === true
  );
}

function isOwnWithin(msg: Msg, limitMs: number): boolean {
  return (msg.get('id')?.fromMe ?? false) && isWithinTimeLimit(limitMs, msg.get('t') ?? 0);
}

function isShown(msg: Msg): boolean {
  return msg.get('type') !== 'revoked' && !msg.isNotification;
}
