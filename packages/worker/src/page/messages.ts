import { delay, resultWithin, within } from './delay.ts';
import type { HandedForward, MessageModel, PageChat, PageMessage, SendMark, SendPlan, SendState } from './models.ts';
import { ignored, networkCode, Refusal, refusedMessage, unreported } from './refusal.ts';
import { hasFailedEdit, whileEditing } from './tools/changes.ts';
import { oneByOne, type QuietUntil, requireQuiet, sendingInto } from './tools/chats.ts';
import { download } from './tools/files.ts';
import { communityOf, ownGroup } from './tools/groups.ts';
import * as library from './tools/library.ts';
import { isComposerDisabled, limitOf } from './tools/limits.ts';
import { isDeliverable } from './tools/message-types.ts';
import {
  blocked,
  findMessage,
  findSent,
  isBlocked,
  isQuotable,
  isStatus,
  knownChat,
  noMessage,
  requireMessage,
  sentModel,
} from './tools/messages.ts';
import { networkId, registeredId } from './tools/number-forms.ts';
import {
  answerOf,
  endForward,
  expectForward,
  handedId,
  outcomeOf,
  readOutcome,
  refusalCode,
  requireChoice,
  revokeStatus,
  signal,
  tooBusy,
  untilConfirmed,
} from './tools/outcomes.ts';
import { changingMessage } from './tools/records.ts';
import { mentioned, mentionedStill, previewOf, sharingFields } from './tools/sends.ts';

/** The network may confirm the end of a limit later than its time. */
const MIN_LIMIT_SECONDS = 60;
const POLL_MS = 50;

/** Refuses the call if a message cannot be sent. Queries people without a chat, once. */
export async function checkSend(chatId: string, quotedMessageId: string | undefined): Promise<void> {
  // The library posts messages to any broadcast list to the status feed, where everyone would see them.
  if (chatId.endsWith('@broadcast')) throw noChat();
  if (!knownChat(chatId)) {
    // The page would open a chat for any group id, and lose messages sent there.
    if (chatId.endsWith('@g.us')) throw noChat();
    try {
      const id = chatId.endsWith('@c.us') ? await registeredId(chatId) : chatId;
      if (id === undefined) throw noRecipient();
      if (!knownChat(chatId) && !(await library.openChat(networkId(chatId)))) throw noChat();
    } catch (error) {
      const isPages = !(error instanceof Refusal) && networkCode(error) === undefined;
      throw isPages && /No LID for user/i.test(String(error)) ? noRecipient() : error;
    }
  }
  if (communityOf(knownChat(chatId))?.role === 'parent') throw community();
  // The page silently sends nothing to a blocked person.
  if (isBlocked(chatId)) throw blocked();
  await requireComposer(knownChat(chatId));
  if (!quotedMessageId) return;
  const quoted = await findMessage(quotedMessageId);
  if (!quoted) throw new Refusal('message_not_found', 'the message to quote is unknown to this account');
  if (!isQuotable(quoted, chatId)) throw new Refusal('not_permitted', 'the message to quote cannot be replied to');
}

/** How long loading the members of a group may take in which the page does not allow messages. */
const MEMBERS_MS = 5_000;

/** Refuses what the page's own composer would: what it sends to such a chat, the network refuses. */
async function requireComposer(chat: PageChat | undefined): Promise<void> {
  if (!chat || !isComposerDisabled(chat)) return;
  const refused = (why: string) =>
    new Refusal('not_permitted', `the page does not allow messages to this chat: ${why}`);
  if (!chat.groupMetadata) throw limited(chat) ?? refused('the chat does not accept messages');
  // While the account is missing in the loaded part of the members, the page takes it for an outsider.
  const own = await ownGroup(String(chat.id), MEMBERS_MS);
  if (own && (!own.members || !isComposerDisabled(chat))) return;
  throw refused('only admins can write in that group, or the account is not in it');
}

/** The refusal of a message to a person to whom a limit does not allow one. */
function limited(chat: PageChat): Refusal | undefined {
  const limit = limitOf(chat);
  if (!limit) return undefined;
  const retryAfterSeconds = Math.max(MIN_LIMIT_SECONDS, ((limit.untilMs ?? 0) - Date.now()) / 1_000);
  const what = { time_lock: 'a time lock', new_chats: 'the limit of new chats' }[limit.kind];
  const why = `nothing was sent: ${what} keeps the account from writing to this person`;
  return new Refusal('rate_limited', why, { retryAfterSeconds });
}

function community() {
  return new Refusal('not_permitted', 'that is a community, which has no chat: write to one of its groups');
}

function noChat() {
  return new Refusal('chat_not_found', 'the group or broadcast list is unknown to this account');
}

function noRecipient() {
  return new Refusal('recipient_not_found', 'the recipient is not registered on the network');
}

/** The acks of the messages that the page has, by the requested ids. */
export async function acksOf(ids: readonly string[]): Promise<{ readonly id: string; readonly ack: unknown }[]> {
  // An id that this build cannot parse is not in the page.
  const found = await Promise.all(ids.map((id) => findMessage(id).catch(() => undefined)));
  return found.flatMap((message, n) => (message ? [{ id: ids[n] ?? '', ack: message.ack }] : []));
}

/** The newest messages of this account since that time, in Unix seconds, that the network has; oldest first. */
export function acksSince(seconds: number, max: number): { readonly id: string; readonly ack: unknown }[] {
  const { Msg } = window.require('WAWebCollections');
  return Msg.getModelsArray()
    .filter((message) => message.id.fromMe && (message.t ?? 0) >= seconds && message.ack > 0 && isDeliverable(message))
    .sort((one, other) => (one.t ?? 0) - (other.t ?? 0))
    .slice(-max)
    .map(({ id, ack }) => ({ id: String(id), ack }));
}

/**
 * A message that was handed over, and whether the network has it; no model if it is unreadable. `unchecked`: nothing was
 * sent.
 */
export type SendAnswer = 'unchecked' | { readonly model?: MessageModel | undefined; readonly state?: SendState };

/** How a message is sent. Other fields are options of the library, and passed through. */
export interface SendOptions {
  readonly quotedMessageId?: string | undefined;
  /** False: the chat stays unread. */
  readonly markRead?: boolean | undefined;
  readonly caption?: string | undefined;
  /** How long to wait for a link preview, in milliseconds; absent: sent without a preview. */
  readonly previewMs?: number | undefined;
  /** Ids of people. */
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
  /** Fields of the message besides its text, by the page's names. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly [option: string]: unknown;
}

/**
 * Sends a message with the library's own function in the page, and waits until the network has it. Unless `isChecked`,
 * it is sent only if the page's memory shows that it can be, as for most replies in an open chat.
 */
export async function sendMessage(
  { call, beginBy, answerBy, ackTimeoutMs, messageId }: SendPlan,
  isChecked: boolean,
  chatId: string,
  content: string,
  { fields, previewMs, mentions = [], mentionAll, markRead, ...options }: SendOptions,
): Promise<SendAnswer> {
  const { Msg } = window.require('WAWebCollections');
  const isKnown = () => {
    const chat = knownChat(chatId);
    if (!chat || chat.canSend === false || chatId.endsWith('@broadcast') || isBlocked(chatId)) return false;
    if (communityOf(chat)?.role === 'parent') return false;
    if (!options.quotedMessageId) return true;
    const quoted = Msg.get(options.quotedMessageId);
    return quoted !== undefined && isQuotable(quoted, chatId);
  };
  if (messageId !== undefined) requireChoice();
  if (markRead === false) requireQuiet();
  if (!isChecked && !isKnown()) return 'unchecked';
  const chat = await library.openChat(networkId(chatId));
  if (!chat) return {};
  // At most half of the time left to begin.
  const waitMs = Math.min(previewMs ?? 0, (beginBy - Date.now()) / 2);
  const preview = waitMs > 0 ? await previewOf(content, chat, waitMs) : {};
  const quoted = options.quotedMessageId ? await findMessage(options.quotedMessageId) : undefined;
  // The library creates the fields of a reply for another chat, and sends its id, which the recipient does not find.
  // Nor does it find the message by a person's other id.
  const quote = quoted?.msgContextInfo(chat.id);
  // It checks a status as a message in a chat, and fails.
  const quotedMessageId = quoted && !isStatus(quoted.id) ? String(quoted.id) : undefined;
  const { ids: mentionedJidList, text } = mentioned(chat, mentions, options.caption ?? content);
  const written = options.caption === undefined ? {} : { caption: text };
  signal({ is: 'sending', call });
  // Checked after the signal: a page that freezes in between must not send later without the worker's knowledge.
  if (Date.now() > beginBy) throw tooBusy();
  // The library puts extra options into the message, and looks it up by the id that it generated.
  const mark = messageId === undefined ? {} : { chatWebMark: { call, messageId } };
  // In a community's announcement group, replies and reactions need a secret. The library sets one only for polls.
  const secret = options.poll ? {} : { messageSecret: crypto.getRandomValues(new Uint8Array(32)) };
  const extraOptions = {
    ...preview,
    ...quote,
    ...sharingFields(chat),
    ...secret,
    ...fields,
    ...(mentionAll ? { nonJidMentions: 1 } : {}),
    ...mark,
  };
  const body = options.caption === undefined ? text : content;
  const all = { ...options, quotedMessageId, ...written, mentionedJidList, extraOptions };
  return sendingInto(chat.id, markRead, async (quietUntil) => {
    const found = await library.sendMessage(chat, body, all);
    const sent = found ?? Msg.get(handedId(call) ?? '');
    quietUntil(outcomeOf(sent));
    return sent ? answerOf(sent, { call, answerBy, ackTimeoutMs }) : {};
  });
}

/** The outcome of a message that may have been sent before, as from `sendMessage`; undefined if the page has none. */
export async function readSent(
  messageId: string,
  chatId: string,
  ackTimeoutMs: number,
): Promise<Exclude<SendAnswer, string> | undefined> {
  const message = await findSent(messageId, chatId);
  if (!message) return undefined;
  const state = await untilConfirmed(message, ackTimeoutMs);
  return { model: sentModel(message), state };
}

/** Reacts to a message, or removes the reaction if the emoji is empty. The library silently ignores unknown messages. */
export async function react(messageId: string, emoji: string, markRead?: boolean): Promise<void> {
  const message = await requireMessage(messageId);
  // The page does not send reactions to blocked people, but removes them.
  if (emoji !== '' && isBlocked(String(message.id.remote))) throw blocked();
  // For these, the page throws a plain error before it sends anything.
  if (isStatus(message.id)) throw new Refusal('not_permitted', 'the web client cannot react to a status');
  const group = knownChat(String(message.id.remote))?.groupMetadata;
  if (group?.isCag && !message.messageSecret)
    throw new Refusal('not_permitted', 'the message has no secret, which reactions in announcement groups need');
  const { sendReactionToMsg } = window.require('WAWebSendReactionMsgAction');
  if (markRead === false) requireQuiet();
  await sendingInto(message.id.remote, markRead, () =>
    changingMessage('reaction', message, async (refusal) => {
      const reacting = sendReactionToMsg(message, emoji);
      try {
        await reacting;
      } catch (error) {
        throw refusal() ?? (networkCode(error) === undefined ? unreported('the reaction was sent') : error);
      }
    }),
  );
}

/** Edits a message of the account. Returns its new model; undefined if it is unreadable. */
export async function editMessage(
  messageId: string,
  body: string,
  mentions: readonly string[] | undefined,
): Promise<MessageModel | undefined> {
  const message = await requireMessage(messageId);
  if (!message.id.fromMe) throw new Refusal('not_permitted', 'only messages that this account sent can be edited');
  const { canEditText, canEditCaption } = window.require('WAWebMsgActionCapability');
  const canEdit = () => canEditText(message) || canEditCaption(message);
  // The network's clock decides, not the page's: near its end, the edit window may be closed, or close during
  // the request.
  const aboutWindowMs = 14 * 60_000;
  const requireWindow = () => {
    if (Date.now() - (message.t ?? 0) * 1_000 > aboutWindowMs)
      throw new Refusal('edit_window_closed', 'the message is too old to be edited');
  };
  const requireEditable = () => {
    if (canEdit()) return;
    requireWindow();
    throw new Refusal(
      'not_permitted',
      'this message cannot be edited here: only texts and captions that this device sent',
    );
  };
  requireEditable();
  const { remote } = message.id;
  return changingMessage('edit', message, async (refusal) => {
    let edited: PageMessage | undefined;
    try {
      const chat = knownChat(String(remote)) ?? { id: remote };
      const { ids: mentionedJidList, text } = mentioned(chat, mentions ?? mentionedStill(message, body), body);
      // Without this, the page drops the preview. No new one is made: the library fails on a link without a preview.
      const { matchedText } = message;
      const extraOptions = matchedText && text.includes(matchedText) ? { linkPreview: message } : {};
      const edit = () => library.editMessage(message, text, { mentionedJidList, extraOptions });
      edited = await whileEditing(message, edit);
    } catch (error) {
      requireWindow();
      requireEditable();
      throw error;
    }
    // The page marks a failed edit, even if only the answer was lost, instead of throwing. A success removes the mark.
    if (!hasFailedEdit(message)) return sentModel(edited ?? message);
    requireWindow();
    throw refusal() ?? unreported('the message was edited');
  });
}

/**
 * Deletes a message, for everyone if requested and still possible: the page allows that for two and a half days. Returns
 * for whom it was deleted.
 */
export async function deleteMessage(
  messageId: string,
  forEveryone: boolean,
  membersMs: number,
): Promise<'everyone' | 'me'> {
  const message = await requireMessage(messageId);
  const { Chat } = window.require('WAWebCollections');
  if (isStatus(message.id)) {
    if (!message.id.fromMe) throw new Refusal('not_permitted', 'the status of another account cannot be deleted');
    if (!forEveryone) throw new Refusal('not_permitted', 'a status can only be deleted for everyone');
    if (await revokeStatus(message)) return 'everyone';
    throw unreported(DELETED);
  }
  const chat = Chat.get(message.id.remote);
  if (!chat) throw noMessage();
  const { canSenderRevokeMsg, canAdminRevokeMsg } = window.require('WAWebMsgActionCapability');
  // Not with the page's commands: they resolve before they do anything.
  const { sendRevokeMsgs, sendDeleteMsgs } = window.require('WAWebChatSendMessages');
  const record = { type: 'message', list: [message] } as const;
  // While one is running in the chat, the page returns its promise, even for another message.
  return oneByOne<'everyone' | 'me'>(chat, async () => {
    if (message.type === 'revoked') throw noMessage();
    if (forEveryone) await requireMembers(String(message.id.remote), membersMs);
    if (forEveryone && (canSenderRevokeMsg(message) || canAdminRevokeMsg(message))) {
      // No fallback to a deletion for the account only: that would rule out another attempt.
      await changingMessage('deletion', message, async (refusal) => {
        const [result] = (await sendRevokeMsgs(chat, record, true)) ?? [];
        const outcome = readOutcome(result);
        const code = refusalCode(outcome);
        if (outcome.is === 'refused') throw code ? refusedMessage('deletion', code) : ignored();
        if (outcome.is === 'unknown' && outcome.name !== undefined) throw refusal() ?? unreported(DELETED);
      });
      return 'everyone';
    }
    // Older builds take three arguments.
    const deleted =
      sendDeleteMsgs.length > 1
        ? await sendDeleteMsgs(chat, record, true)
        : await sendDeleteMsgs({ chat_: chat, record, clearMedia: true });
    // The number of deleted messages: the page does not throw a refusal by the network.
    if (deleted === 0) throw ignored();
    return 'me';
  });
}

/** Without the members of a group in memory, the page allows no deletion for everyone: it must not become one for me. */
async function requireMembers(chatId: string, timeoutMs: number): Promise<void> {
  const own = chatId.endsWith('@g.us') ? await ownGroup(chatId, timeoutMs) : undefined;
  if (own && !own.members)
    throw new Refusal('client_failed', 'the page did not load the members of the group in time; nothing was deleted');
}

const DELETED = 'the message was deleted for everyone';

function notForwardable() {
  return new Refusal('not_permitted', 'messages of this kind cannot be forwarded');
}

/** The kind of a message to forward; `not_loaded`: the page has to download its file first. */
export async function checkForward(messageId: string): Promise<'file' | 'no_file' | 'not_loaded'> {
  const message = await requireMessage(messageId);
  if (window.require('WAWebMsgActionCapability').canForwardMsg(message)) return message.directPath ? 'file' : 'no_file';
  const isLoaded = !message.directPath || message.mediaData?.mediaStage === 'RESOLVED';
  if (isLoaded || message.isViewOnce) throw notForwardable();
  return 'not_loaded';
}

/** Makes the page download the file of a message to forward, with a time limit. */
export async function loadForward(messageId: string, timeoutMs: number): Promise<'file'> {
  const message = await findMessage(messageId);
  if (!message) throw noMessage();
  const stage = await download(message, timeoutMs);
  if (window.require('WAWebMsgActionCapability').canForwardMsg(message)) return 'file';
  if (stage === 'RESOLVED') throw notForwardable();
  if (stage === 'REUPLOADING' || stage === 'ERROR_MISSING')
    throw new Refusal('media_not_found', 'the network no longer has the media of that message');
  throw new Refusal('client_failed', 'the page could not download the file in time; nothing was sent');
}

/**
 * Forwards a message with the page's own function, and waits until the network has it. That function hides failures and
 * returns no message: a hook at the handover reports both.
 */
export async function forwardMessage(
  plan: SendPlan,
  messageId: string,
  chatId: string,
  markRead?: boolean,
): Promise<Exclude<SendAnswer, 'unchecked'>> {
  const { call, beginBy } = plan;
  requireChoice();
  if (markRead === false) requireQuiet();
  const message = await findMessage(messageId);
  if (!message) throw noMessage();
  const chat = await library.openChat(networkId(chatId));
  if (!chat) return {};
  // One at a time per chat: the page does not say which message it forwards.
  const mark = { call, messageId: plan.messageId };
  let handing = expectForward(chat, mark);
  while (!handing && Date.now() < beginBy) {
    await delay(POLL_MS);
    handing = expectForward(chat, mark);
  }
  if (!handing) throw tooBusy();
  signal({ is: 'sending', call });
  // Checked after the signal: a page that freezes in between must not send later without the worker's knowledge.
  if (Date.now() > beginBy) {
    endForward(chat, mark);
    throw tooBusy();
  }
  return sendingInto(chat.id, markRead, (quietUntil) => handOver(plan, message, chat, mark, handing, quietUntil));
}

async function handOver(
  plan: SendPlan,
  message: PageMessage,
  chat: PageChat,
  mark: SendMark,
  handing: Promise<HandedForward>,
  quietUntil: QuietUntil,
): Promise<Exclude<SendAnswer, 'unchecked'>> {
  const { answerBy } = plan;
  const { forwardMessages } = window.require('WAWebChatForwardMessage');
  const ended = Promise.resolve(forwardMessages({ chat, msgs: [message], multicast: true, includeCaption: true }))
    .then((undelivered) => ({ undelivered }))
    .catch((error: unknown) => ({ error }))
    .finally(() => endForward(chat, mark));
  quietUntil(ended);
  const handed = await within(Promise.race([handing, ended]), answerBy - Date.now());
  if (!handed) return {};
  if ('error' in handed) {
    // It only throws for a blocked recipient, before anything is handed over.
    if (/block/i.test(String(handed.error))) throw blocked();
    throw handed.error;
  }
  // It does not report texts that it could not send.
  if ('undelivered' in handed) {
    if (!handed.undelivered?.length) return {};
    throw new Refusal('client_failed', 'the page could not prepare the message; nothing was sent');
  }
  const added = await resultWithin(handed.added, answerBy - Date.now());
  const sent = window.require('WAWebCollections').Msg.get(handed.id) ?? added;
  quietUntil(outcomeOf(sent));
  return sent ? answerOf(sent, plan) : {};
}
