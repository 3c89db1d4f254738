import type {
  PageCall,
  PageChange,
  PageChat,
  PageId,
  PageMessage,
  PageReaction,
  PageSignal,
  PageVote,
} from '../models.ts';
import { isMe, ownIds, phoneOr, pushnameOf, resolveNumbers } from './identities.ts';
import { hasCaption, textOf } from './message-texts.ts';
import { isDeliverable } from './message-types.ts';
import { isPost, messageModel } from './messages.ts';
import { isOwn, signal } from './outcomes.ts';

/** The page's states of a ringing call. */
const RINGING = [3, 8];

/** A detected change, before the numbers of its people are known. */
export interface FoundChange {
  /** By the network's clock if the page knows it, otherwise by the sender's. Milliseconds since 1970. */
  readonly at: number;
  readonly people: readonly (PageId | undefined)[];
  read(): PageChange;
}

const SECOND_MS = 1_000;

const FEW_PEOPLE = 5;

// As seconds, this would be after the year 5138.
function isMs(time: number) {
  return time > 100_000_000_000;
}

function timeOf(time: number | undefined) {
  return time === undefined || isMs(time) ? (time ?? 0) : time * SECOND_MS;
}

/** Marks what the account itself did, on any of its devices. */
function markOf(person: PageId | undefined): { readonly fromMe?: true } {
  return person !== undefined && isMe(person) ? { fromMe: true } : {};
}

function isChannel(chat: PageId) {
  return String(chat).endsWith('@newsletter');
}

let last: Promise<unknown> = Promise.resolve();

/** Signals in call order, each once `resolved` has settled, which it must. A signal that throws is skipped. */
export function signalInOrder(resolved: Promise<unknown>, make: () => PageSignal): void {
  last = last
    .then(() => resolved)
    .then(() => signal(make()))
    .catch(() => {}); // One failure must not stop the others.
}

const joined = new Set([
  'create',
  'add',
  'invite',
  'v4_add_invite_join',
  'linked_group_join',
  'auto_add',
  'invite_auto_add',
  'general_chat_add',
  'community_participant_add_rich',
  'community_invite_rich',
  'sub_group_participant_add_rich',
  'sub_group_invite_rich',
  'subgroup_admin_triggered_auto_add',
  'subgroup_admin_triggered_invite_auto_add',
  'default_sub_group_admin_add',
]);

const requested = new Set(['membership_approval_request', 'created_membership_requests']);

const left = new Set(['remove', 'leave', 'default_sub_group_demote']);

function groupEvent(subtype: string) {
  if (joined.has(subtype)) return 'group_joined';
  if (requested.has(subtype)) return 'group_request';
  return left.has(subtype) ? 'group_left' : 'group_updated';
}

function toWid(id: unknown) {
  const { createWid } = window.require('WAWebWidFactory');
  return createWid(String(id).replace(/@s\.whatsapp\.net$/, '@c.us')) as PageId;
}

/** The owner of a device: for a call, the page has the id of the device. */
function personOf(id: PageId | null | undefined) {
  const isDevice = /:\d+@/.test(String(id));
  return (isDevice ? toWid(String(id).replace(/:\d+@/, '@')) : id) ?? undefined;
}

/** Some notices do not name the people they are about: these are their authors, or the account itself. */
function concernedBy({ subtype = '', recipients = [], templateParams = [], author }: PageMessage) {
  if (recipients.length > 0) return recipients.map(toWid);
  if (subtype === 'created_membership_requests') return templateParams.slice(1).map(toWid);
  if (subtype === 'create') return [ownIds()[0]];
  return groupEvent(subtype) === 'group_updated' ? [] : [author];
}

const edits = new Map<string, Promise<unknown>>();

const HANG_MS = 120_000;

/** Older calls and rows are history. */
export const RECENT_MS = 3_600_000;

/** The changes since `since` were read at `at`: times in milliseconds since 1970. */
let caughtUp: { readonly since: number; readonly at: number } | undefined;

/** Notes that the changes since a time are being read: table rows of that time are news for a while. */
export function noteCatchUp(since: number): void {
  caughtUp = { since, at: Date.now() };
}

/**
 * True if a table row is recent, and so news: the page also stores history, and stores old rows again. `sentAt`: by
 * the sender's clock, in milliseconds or seconds.
 */
export function isNews({ t }: { readonly t?: number }, sentAt: number | undefined): boolean {
  const now = Date.now();
  // Rows kept by the network while the session was down may arrive after the catch-up.
  const since = caughtUp && now - caughtUp.at < RECENT_MS ? caughtUp.since : now;
  return timeOf(t ?? sentAt) >= Math.min(since, now - RECENT_MS);
}

/** Signals a change in the same order. */
export function report(found: FoundChange | undefined): void {
  if (!found) return;
  // A group notice may be about all members.
  const isLive = found.people.filter((person) => person !== undefined).length <= FEW_PEOPLE;
  const resolved = resolveNumbers(found.people, isLive).catch(() => {});
  signalInOrder(resolved, () => ({ is: 'change', happenedAt: found.at, ...found.read() }));
}

/** It was created in this page, and the network does not have it: not yet, or never. */
export function isUnsent({ id, ack }: Pick<PageReaction, 'id' | 'ack'>): boolean {
  return id?.fromMe === true && ack !== undefined && ack <= 0;
}

/** Runs an edit of one of the account's messages: the page shows it before the network has it. */
export async function whileEditing<R>(message: PageMessage, edit: () => Promise<R>): Promise<R> {
  const key = String(message.id);
  const done = Promise.resolve().then(edit);
  edits.set(key, done);
  const forget = () => {
    if (edits.get(key) === done) edits.delete(key);
  };
  // If the page never answers, later edits must still be reported.
  const hanging = setTimeout(forget, HANG_MS);
  try {
    return await done;
  } finally {
    clearTimeout(hanging);
    forget();
  }
}

/** Resolves when this page's current edit is done, or has failed; undefined if there is none. */
export function editing(message: PageMessage): Promise<unknown> | undefined {
  return edits.get(String(message.id));
}

/** The page shows an edit by the account that the network does not have. */
export function hasFailedEdit({ id, isSendFailure }: PageMessage): boolean {
  return id.fromMe && isSendFailure === true;
}

/** The account sent it on another device. */
export function sentElsewhere(message: PageMessage): FoundChange | undefined {
  const { id, from, to, author, quotedParticipant, mentionedJidList = [] } = message;
  if (!id.fromMe || message.local === true || isOwn(message)) return undefined;
  if (isPost(message) || !isDeliverable(message)) return undefined;
  return {
    at: timeOf(message.t),
    people: [from, to, author, quotedParticipant, ...mentionedJidList],
    read: () => ({ name: 'message_sent', data: { ...messageModel(message) } }),
  };
}

export function edited(message: PageMessage): FoundChange | undefined {
  const { id, from, author = from, latestEditSenderTimestampMs: at } = message;
  // The edit may have removed a caption; in other messages without a text, such as events, no text was edited.
  const body = textOf(message) ?? (hasCaption(message) ? '' : undefined);
  if (!at || body === undefined || !isDeliverable(message)) return undefined;
  const read = (): PageChange => {
    const chatId = phoneOr(id.remote);
    const who = { chatId, from: phoneOr(author), ...markOf(author) };
    return { name: 'message_edited', data: { id: String(id), ...who, body, at } };
  };
  return { at: timeOf(at), people: [id.remote, author], read };
}

export function revoked(message: PageMessage): FoundChange | undefined {
  const { id, from, author = from, protocolMessageKey: key = id, revokeSender, revokeTimestamp, t } = message;
  if (message.type !== 'revoked' || isChannel(id.remote)) return undefined;
  const read = (): PageChange => {
    const people = { from: phoneOr(author), by: phoneOr(revokeSender), ...markOf(revokeSender ?? author) };
    return { name: 'message_revoked', data: { id: String(key), chatId: phoneOr(id.remote), ...people } };
  };
  return { at: timeOf(revokeTimestamp ?? t), people: [id.remote, author, revokeSender], read };
}

/** A deletion from the network's record, for a message that is not in the page's memory. */
export function revokedUnseen(record: PageMessage): FoundChange | undefined {
  const { id, type, subtype, isNewMsg, protocolMessageKey: key, from, t } = record;
  const isByAdmin = subtype === 'admin_revoke';
  const isRevocation = type === 'protocol' && (isByAdmin || subtype === 'sender_revoke');
  if (!isRevocation || !isNewMsg || !key || isChannel(key.remote)) return undefined;
  const isSame = (one: PageId | undefined, other: PageId | undefined) => phoneOr(one) === phoneOr(other);
  const isAuthor = key.fromMe === id.fromMe && isSame(key.participant, id.participant);
  // The page's own rule: only admins delete messages of others.
  const isAllowed = isByAdmin ? String(key.remote).endsWith('@g.us') : isAuthor;
  if (!isAllowed || !isSame(key.remote, id.remote)) return undefined;
  // The message may be in memory under another id of the chat, or already deleted.
  const { Msg } = window.require('WAWebCollections');
  if (Msg.getModelsArray().some(({ id: one }) => one.id === key.id || one.id === id.id)) return undefined;
  const by = id.fromMe ? ownIds()[0] : (record.author ?? id.participant ?? from);
  const author = key.fromMe ? ownIds()[0] : (key.participant ?? key.remote);
  const read = (): PageChange => {
    const people = { from: phoneOr(author), by: phoneOr(by), ...markOf(by) };
    return { name: 'message_revoked', data: { id: String(key), chatId: phoneOr(key.remote), ...people } };
  };
  return { at: timeOf(t), people: [key.remote, author, by], read };
}

/** A group notice: members who joined or left, requests to join, and other changes. */
export function regrouped(message: PageMessage): FoundChange | undefined {
  const { id, type, subtype, author, t, body } = message;
  if (type !== 'gp2' || !subtype) return undefined;
  const concerned = concernedBy(message);
  const name = groupEvent(subtype);
  const read = (): PageChange => {
    const participants = concerned.map((person) => phoneOr(person));
    const change = name === 'group_updated' ? { change: subtype, value: body || undefined } : {};
    const group = { id: String(id), groupId: String(id.remote), by: phoneOr(author), ...markOf(author) };
    return { name, data: { ...group, participants, ...change } };
  };
  return { at: timeOf(t), people: [author, ...concerned], read };
}

/** A vote in a poll. */
export function voted(
  { pollUpdateParentKey: key, selectedOptionLocalIds: chosen = [], ...vote }: PageVote,
  poll: PageMessage | undefined,
): FoundChange | undefined {
  const { senderTimestampMs: at, from, author = from, t = at } = vote;
  const { id = key, pollOptions: offered } = poll ?? {};
  if (!key || !offered) return undefined; // A poll from before linking.
  const numbers = [...(chosen instanceof ArrayBuffer ? new Uint8Array(chosen) : chosen)];
  const nameOf = (localId: number) =>
    (offered.find((option) => option?.localId === localId) ?? offered[localId])?.name ?? '';
  const read = (): PageChange => {
    const who = { pollId: String(id), chatId: phoneOr(key.remote), from: phoneOr(author), ...markOf(author) };
    return { name: 'poll_vote', data: { ...who, options: numbers.map(nameOf), at }, row: vote.id?.id };
  };
  return { at: timeOf(t), people: [key.remote, author], read };
}

/** The current state of a chat. */
export function chatState(chat: PageChat): FoundChange {
  return {
    at: Date.now(),
    people: [chat.id],
    read: () => {
      const { id, unreadCount, archive: archived, pin, mute } = chat;
      const pinned = 'pin' in chat ? Boolean(pin) : undefined;
      const marks = { unreadCount, archived, pinned, mutedUntil: mute?.expiration };
      return { name: 'chat_updated', data: { chatId: phoneOr(id), ...marks } };
    },
  };
}

/** A ringing call. */
export function rings(call: PageCall): FoundChange | undefined {
  const { id, isVideo: video = false, outgoing } = call;
  const from = personOf(call.peerJid);
  const chat = call.groupJid ?? from;
  const state = call.getState?.() ?? undefined; // Null in a page without a call engine.
  if (!id || !from || outgoing || (state !== undefined && !RINGING.includes(state))) return undefined;
  const group = call.isGroup === true || String(chat).endsWith('@g.us');
  const at = Date.now();
  const read = (): PageChange => {
    const who = { chatId: phoneOr(chat), from: phoneOr(from) };
    return { name: 'call', data: { id, ...who, senderName: pushnameOf(from), video, group, state: 'ringing', at } };
  };
  return { at, people: [from, chat], read };
}

/** A call log entry. */
export function called({
  id,
  type,
  callOutcome,
  from,
  callCreator,
  isVideoCall: video = false,
  t,
}: PageMessage): FoundChange | undefined {
  if (type !== 'call_log' || !callOutcome) return undefined;
  const caller = personOf(callCreator ?? from);
  const group = String(id.remote).endsWith('@g.us');
  // Between two people, this also means ringing; in a group, that the call can be joined.
  if (callOutcome === 'Ongoing' && !group) return undefined;
  const state = callOutcome.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  const at = timeOf(t);
  const read = (): PageChange => {
    // The id of the entry is that of the call.
    const call = { id: id.id ?? String(id), chatId: phoneOr(id.remote), from: phoneOr(caller), ...markOf(caller) };
    return { name: 'call', data: { ...call, senderName: pushnameOf(caller), video, group, state, at } };
  };
  return { at, people: [id.remote, caller], read };
}

export function reacted({
  id,
  reactionParentKey: key,
  reactionText: emoji = '',
  reactionTimestamp: at,
  ...reaction
}: PageReaction): FoundChange | undefined {
  const { from, author = from, t = at } = reaction;
  if (!key || isChannel(key.remote)) return undefined;
  const read = (): PageChange => {
    const message = { messageId: String(key), chatId: phoneOr(key.remote) };
    const who = { from: phoneOr(author), senderName: pushnameOf(author), ...markOf(author) };
    return { name: 'message_reaction', data: { ...message, ...who, emoji, at }, row: id?.id };
  };
  return { at: timeOf(t), people: [key.remote, author], read };
}
