import type { MessageModel, PageMessage, Refused, SendPlan, SendState } from './models.ts';
import { hasFailedEdit, whileEditing } from './tools/changes.ts';
import { oneByOne } from './tools/chats.ts';
import { isRegistered } from './tools/identities.ts';
import { findMessage, findSent, isBlocked, isDeliverable, isQuotable, knownChat, sentModel } from './tools/messages.ts';
import {
  answerOf,
  canIdentify,
  handedId,
  readOutcome,
  revokeStatus,
  signal,
  untilConfirmed,
} from './tools/outcomes.ts';
import { refusal, refusedBy } from './tools/refusals.ts';
import { mentioned, mentionedStill, previewOf } from './tools/sends.ts';

/** The result of the check before a send. */
export type SendCheck =
  | ('ok' | 'no_chat' | 'no_recipient' | 'blocked' | 'no_quoted_message' | 'not_quotable')
  | Refused;

/** Checks whether a message can be sent. Queries people without a chat, once. */
export async function checkSend(chatId: string, quotedMessageId: string | undefined): Promise<SendCheck> {
  // The library posts messages to any broadcast list to the status feed, where everyone would see them.
  if (chatId.endsWith('@broadcast')) return 'no_chat';
  if (!knownChat(chatId)) {
    const wid = window.require('WAWebWidFactory').createWid(chatId);
    // The page would open a chat for any group id, and lose messages sent there.
    if (chatId.endsWith('@g.us')) return 'no_chat';
    try {
      if (chatId.endsWith('@c.us') && !(await isRegistered(wid))) return 'no_recipient';
      if (!(await window.WWebJS.getChat(chatId, { getAsModel: false }))) return 'no_chat';
    } catch (error) {
      const isPages = refusal(error) === undefined;
      if (isPages && /No LID for user/i.test(String(error))) return 'no_recipient';
      return refusedBy(error);
    }
  }
  // The page silently sends nothing to a blocked person.
  if (isBlocked(chatId)) return 'blocked';
  if (!quotedMessageId) return 'ok';
  const quoted = await findMessage(quotedMessageId);
  if (!quoted) return 'no_quoted_message';
  return isQuotable(quoted, chatId) ? 'ok' : 'not_quotable';
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
 * A message that was handed over, and whether the network has it; no model if it is unreadable. `unchecked`, `late` and
 * `no_choice`: nothing was sent; `no_choice`: this build does not accept a chosen id.
 */
export type SendAnswer =
  | 'unchecked'
  | 'late'
  | 'no_choice'
  | { readonly model?: MessageModel | undefined; readonly state?: SendState };

/** How a message is sent. Other fields are options of the library, and passed through. */
export interface SendOptions {
  readonly quotedMessageId?: string | undefined;
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
  { fields, previewMs, mentions = [], mentionAll, ...options }: SendOptions,
): Promise<SendAnswer> {
  const { Msg } = window.require('WAWebCollections');
  const isKnown = () => {
    if (!knownChat(chatId) || chatId.endsWith('@broadcast') || isBlocked(chatId)) return false;
    if (!options.quotedMessageId) return true;
    const quoted = Msg.get(options.quotedMessageId);
    return quoted !== undefined && isQuotable(quoted, chatId);
  };
  if (messageId !== undefined && !canIdentify()) return 'no_choice';
  if (!isChecked && !isKnown()) return 'unchecked';
  const chat = await window.WWebJS.getChat(chatId, { getAsModel: false });
  if (!chat) return {};
  // At most half of the time left to begin.
  const waitMs = Math.min(previewMs ?? 0, (beginBy - Date.now()) / 2);
  const preview = waitMs > 0 ? await previewOf(content, chat, waitMs) : {};
  const quoted = options.quotedMessageId ? await findMessage(options.quotedMessageId) : undefined;
  // The library creates the fields of a reply for another chat, and sends its id, which the recipient does not find.
  // Nor does it find the message by a person's other id.
  const quote = quoted?.msgContextInfo(chat.id);
  const reply = quoted ? { quotedMessageId: String(quoted.id) } : {};
  const { ids: mentionedJidList, text } = mentioned(chat, mentions, options.caption ?? content);
  const written = options.caption === undefined ? {} : { caption: text };
  signal({ is: 'sending', call });
  // Checked after the signal: a page that freezes in between must not send later without the worker's knowledge.
  if (Date.now() > beginBy) return 'late';
  // The library puts extra options into the message, and looks it up by the id that it generated.
  const mark = messageId === undefined ? {} : { chatWebMark: { call, messageId } };
  // In a community's announcement group, replies and reactions need a secret. The library sets one only for polls.
  const secret = options.poll ? {} : { messageSecret: crypto.getRandomValues(new Uint8Array(32)) };
  const extraOptions = {
    ...preview,
    ...quote,
    ...secret,
    ...fields,
    ...(mentionAll ? { nonJidMentions: 1 } : {}),
    ...mark,
  };
  const body = options.caption === undefined ? text : content;
  const all = { ...options, ...reply, ...written, mentionedJidList, extraOptions };
  const found = await window.WWebJS.sendMessage(chat, body, all);
  const sent = found ?? Msg.get(handedId(call) ?? '');
  return sent ? answerOf(sent, { call, answerBy, ackTimeoutMs }) : {};
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

/**
 * Reacts to a message, or removes the reaction if the emoji is empty. `unknown`: the network may have it. The library
 * silently ignores unknown messages.
 */
export async function react(
  messageId: string,
  emoji: string,
): Promise<'ok' | 'no_message' | 'blocked' | 'unknown' | Refused> {
  const message = await findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  // The page does not send reactions to blocked people, but removes them.
  if (emoji !== '' && isBlocked(String(message.id.remote))) return 'blocked';
  const { sendReactionToMsg } = window.require('WAWebSendReactionMsgAction');
  const reacting = sendReactionToMsg(message, emoji);
  try {
    await reacting;
    return 'ok';
  } catch (error) {
    // The page throws the same error for a refusal and for a lost connection.
    return refusal(error) === undefined ? 'unknown' : refusedBy(error);
  }
}

/**
 * Edits a message of the account. Returns its new model, undefined if it is unreadable, or why it was not edited;
 * `unknown`: the page failed, and the network may have the edit.
 */
export async function editMessage(
  messageId: string,
  body: string,
  mentions: readonly string[] | undefined,
): Promise<MessageModel | undefined | 'no_message' | 'not_mine' | 'too_late' | 'not_editable' | 'unknown' | Refused> {
  const message = await findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  if (!message.id.fromMe) return 'not_mine';
  const { canEditText, canEditCaption } = window.require('WAWebMsgActionCapability');
  const canEdit = () => canEditText(message) || canEditCaption(message);
  // The network's clock decides, not the page's: near its end, the edit window may be closed, or close during
  // the request.
  const aboutWindowMs = 14 * 60_000;
  const isOld = () => Date.now() - (message.t ?? 0) * 1_000 > aboutWindowMs;
  if (!canEdit()) return isOld() ? 'too_late' : 'not_editable';
  let edited: PageMessage | undefined;
  try {
    const { remote } = message.id;
    const chat = knownChat(String(remote)) ?? { id: remote };
    const { ids: mentionedJidList, text } = mentioned(chat, mentions ?? mentionedStill(message, body), body);
    // Without this, the page drops the preview. No new one is made: the library fails on a link without a preview.
    const { matchedText } = message;
    const extraOptions = matchedText && text.includes(matchedText) ? { linkPreview: message } : {};
    const edit = () => window.WWebJS.editMessage(message, text, { mentionedJidList, extraOptions });
    edited = await whileEditing(message, edit);
  } catch (error) {
    if (isOld()) return 'too_late';
    return canEdit() ? refusedBy(error) : 'not_editable';
  }
  // The page marks a failed edit, even if only the answer was lost, instead of throwing. A success removes the mark.
  if (hasFailedEdit(message)) return isOld() ? 'too_late' : 'unknown';
  return sentModel(edited ?? message);
}

/**
 * Deletes a message, for everyone if requested and still possible. Returns for whom it was deleted. `ignored`: the page
 * did not apply it; `unknown`: it may have been deleted for everyone.
 */
export async function deleteMessage(
  messageId: string,
  forEveryone: boolean,
): Promise<'everyone' | 'me' | 'no_message' | 'not_mine' | 'only_for_everyone' | 'ignored' | 'unknown' | Refused> {
  const message = await findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  const { Chat } = window.require('WAWebCollections');
  if (String(message.id.remote) === 'status@broadcast') {
    // A status can only be deleted for everyone.
    if (!message.id.fromMe) return 'not_mine';
    if (!forEveryone) return 'only_for_everyone';
    return (await revokeStatus(message)) ? 'everyone' : 'unknown';
  }
  const chat = Chat.get(message.id.remote);
  if (!chat) return 'no_message';
  const { canSenderRevokeMsg, canAdminRevokeMsg } = window.require('WAWebMsgActionCapability');
  // Not with the page's commands: they resolve before they do anything.
  const { sendRevokeMsgs, sendDeleteMsgs } = window.require('WAWebChatSendMessages');
  const record = { type: 'message', list: [message] } as const;
  // While one is running in the chat, the page returns its promise, even for another message.
  return oneByOne(chat, async () => {
    if (message.type === 'revoked') return 'no_message';
    if (forEveryone && (canSenderRevokeMsg(message) || canAdminRevokeMsg(message))) {
      try {
        const [result] = (await sendRevokeMsgs(chat, record, true)) ?? [];
        const { is, name, code } = readOutcome(result);
        const limited = 429;
        // No fallback to a deletion for the account only: that would rule out another attempt.
        if (is === 'refused') return code || name === 'ERROR_RATE_LIMIT' ? { refused: code ?? limited } : 'ignored';
        return is === 'unknown' && name !== undefined ? 'unknown' : 'everyone';
      } catch (error) {
        return refusedBy(error);
      }
    }
    // Older builds take three arguments.
    const deleted =
      sendDeleteMsgs.length > 1
        ? await sendDeleteMsgs(chat, record, true)
        : await sendDeleteMsgs({ chat_: chat, record, clearMedia: true });
    // The number of deleted messages: the page does not throw a refusal by the network.
    return deleted === 0 ? 'ignored' : 'me';
  });
}
