import type { MessageModel, PageMessage, PageWindow, Refused, SendState } from './window.ts';

declare const window: PageWindow;

/** The result of the check before a send. */
export type SendCheck =
  | ('ok' | 'no_chat' | 'no_recipient' | 'blocked' | 'no_quoted_message' | 'not_quotable')
  | Refused;

/** Checks whether a message can be sent. People without a chat are queried, once. */
export async function checkSend(chatId: string, quotedMessageId: string | undefined): Promise<SendCheck> {
  const tools = window.chatWebTools;
  // The library posts to the status feed what is sent to any broadcast: a list would be shown to everybody.
  if (chatId.endsWith('@broadcast')) return 'no_chat';
  if (!tools.knownChat(chatId)) {
    const wid = window.require('WAWebWidFactory').createWid(chatId);
    // The page would open a chat with any group id, and lose what is sent there.
    if (chatId.endsWith('@g.us')) return 'no_chat';
    try {
      if (chatId.endsWith('@c.us') && !(await tools.isRegistered(wid))) return 'no_recipient';
      if (!(await window.WWebJS.getChat(chatId, { getAsModel: false }))) return 'no_chat';
    } catch (error) {
      const isPages = tools.refusal(error) === undefined;
      if (isPages && /No LID for user/i.test(String(error))) return 'no_recipient';
      return tools.refusedBy(error);
    }
  }
  // The page sends nothing there, and does not say so.
  if (tools.isBlocked(chatId)) return 'blocked';
  if (!quotedMessageId) return 'ok';
  const quoted = await tools.findMessage(quotedMessageId);
  if (!quoted) return 'no_quoted_message';
  return tools.isQuotable(quoted, chatId) ? 'ok' : 'not_quotable';
}

/** The acks of messages, as far as the page has these, by the ids that were asked for. */
export async function acksOf(ids: readonly string[]): Promise<{ readonly id: string; readonly ack: unknown }[]> {
  const { findMessage } = window.chatWebTools;
  // An id that this build cannot read is none that it has.
  const found = await Promise.all(ids.map((id) => findMessage(id).catch(() => undefined)));
  return found.flatMap((message, n) => (message ? [{ id: ids[n] ?? '', ack: message.ack }] : []));
}

/** The newest messages that this account has sent since that time, in Unix seconds, and that the network has; oldest first. */
export function acksSince(seconds: number, most: number): { readonly id: string; readonly ack: unknown }[] {
  const { Msg } = window.require('WAWebCollections');
  const { isDeliverable } = window.chatWebTools;
  return Msg.getModelsArray()
    .filter((message) => message.id.fromMe && (message.t ?? 0) >= seconds && message.ack > 0 && isDeliverable(message))
    .sort((one, other) => (one.t ?? 0) - (other.t ?? 0))
    .slice(-most)
    .map(({ id, ack }) => ({ id: String(id), ack }));
}

/** The limits of one send. Times as of `Date.now()`. */
export interface SendPlan {
  /** Identifies the send in signals. */
  readonly call: string;
  /** From then on the message is not sent: the caller has been told so. */
  readonly beginBy: number;
  /** When the answer must be on its way. */
  readonly answerBy: number;
  /** How long to wait for the network to confirm the message, in milliseconds. */
  readonly ackTimeoutMs: number;
  /** What the part of the message's id behind its chat is to be; undefined: the page chooses. */
  readonly messageId?: string | undefined;
}

/**
 * A message that was handed over, and whether the network has it; no model if the page describes it illegibly.
 * `unchecked`, `late`, and `no_choice` where this build lets nobody choose the id: nothing was sent.
 */
export type SendAnswer =
  | 'unchecked'
  | 'late'
  | 'no_choice'
  | { readonly model?: MessageModel | undefined; readonly state?: SendState };

/** How a message is sent. What is not named here is an option of the library, and passed on. */
export interface SendOptions {
  readonly quotedMessageId?: string | undefined;
  readonly caption?: string | undefined;
  /** How long to wait for the preview of a link, in milliseconds; absent: it is sent without. */
  readonly previewMs?: number | undefined;
  /** Ids of people. */
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
  /** What the message consists of beside its text, by the names of the page. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly [option: string]: unknown;
}

/**
 * Sends a message with the library's own function in the page, and waits until the network has it. Unless `isChecked`,
 * it is sent only if a look into the page's memory shows that it can be: most are replies to an open chat.
 */
export async function sendMessage(
  { call, beginBy, answerBy, ackTimeoutMs, messageId }: SendPlan,
  isChecked: boolean,
  chatId: string,
  content: string,
  { fields, previewMs, mentions = [], mentionAll, ...options }: SendOptions,
): Promise<SendAnswer> {
  const { Msg } = window.require('WAWebCollections');
  const tools = window.chatWebTools;
  const isKnown = () => {
    if (!tools.knownChat(chatId) || chatId.endsWith('@broadcast') || tools.isBlocked(chatId)) return false;
    if (!options.quotedMessageId) return true;
    const quoted = Msg.get(options.quotedMessageId);
    return quoted !== undefined && tools.isQuotable(quoted, chatId);
  };
  if (messageId !== undefined && !tools.canIdentify()) return 'no_choice';
  if (!isChecked && !isKnown()) return 'unchecked';
  const chat = await window.WWebJS.getChat(chatId, { getAsModel: false });
  if (!chat) return {};
  // At most half of the time that there is to begin.
  const waitMs = Math.min(previewMs ?? 0, (beginBy - Date.now()) / 2);
  const preview = waitMs > 0 ? await tools.previewOf(content, chat, waitMs) : {};
  const quoted = options.quotedMessageId ? await tools.findMessage(options.quotedMessageId) : undefined;
  // The library takes the fields of the reply for another chat, whose id is then sent: the recipient does not find it. And
  // it does not know the message by the other id of a person.
  const quote = quoted?.msgContextInfo(chat.id);
  const reply = quoted ? { quotedMessageId: String(quoted.id) } : {};
  const { ids: mentionedJidList, text } = tools.mentioned(chat, mentions, options.caption ?? content);
  const written = options.caption === undefined ? {} : { caption: text };
  tools.signal({ is: 'sending', call });
  // After the signal: a page that freezes between the two must not go on in silence.
  if (Date.now() > beginBy) return 'late';
  // The library puts extra options into the message, and looks it up by the id that it has made itself.
  const mark = messageId === undefined ? {} : { chatWebMark: { call, messageId } };
  // Members of a community's announcement group can only reply and react to what has one. The library has one for polls.
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
  const sent = found ?? Msg.get(tools.handedId(call) ?? '');
  return sent ? tools.answerOf(sent, { call, answerBy, ackTimeoutMs }) : {};
}

/** What became of a message that may have been sent before, as `sendMessage` tells it; undefined if the page has none. */
export async function readSent(
  messageId: string,
  chatId: string,
  ackTimeoutMs: number,
): Promise<Exclude<SendAnswer, string> | undefined> {
  const tools = window.chatWebTools;
  const message = await tools.findSent(messageId, chatId);
  if (!message) return undefined;
  const state = await tools.untilConfirmed(message, ackTimeoutMs);
  return { model: tools.sentModel(message), state };
}

/**
 * Reacts to a message, or removes the reaction with an empty emoji. `unknown`: the page does not report whether the network
 * has it. The library ignores unknown messages silently.
 */
export async function react(
  messageId: string,
  emoji: string,
): Promise<'ok' | 'no_message' | 'blocked' | 'unknown' | Refused> {
  const tools = window.chatWebTools;
  const message = await tools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  // The page does not react to blocked people, but takes reactions back.
  if (emoji !== '' && tools.isBlocked(String(message.id.remote))) return 'blocked';
  const { sendReactionToMsg } = window.require('WAWebSendReactionMsgAction');
  const reacting = sendReactionToMsg(message, emoji);
  try {
    await reacting;
    return 'ok';
  } catch (error) {
    // The page throws the same for a refusal and for a lost connection.
    return tools.refusal(error) === undefined ? 'unknown' : tools.refusedBy(error);
  }
}

/**
 * Edits a message of the account. Returns its new model, undefined if that is unreadable, or why it was not edited;
 * `unknown`: the page has failed, and does not say whether the network has the edit.
 */
export async function editMessage(
  messageId: string,
  body: string,
  mentions: readonly string[] | undefined,
): Promise<MessageModel | undefined | 'no_message' | 'not_mine' | 'too_late' | 'not_editable' | 'unknown' | Refused> {
  const tools = window.chatWebTools;
  const message = await tools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  if (!message.id.fromMe) return 'not_mine';
  const { canEditText, canEditCaption } = window.require('WAWebMsgActionCapability');
  const canEdit = () => canEditText(message) || canEditCaption(message);
  // The network's clock decides, not the page's: near its end, the edit window may be closed already, or close during
  // the request.
  const aboutWindowMs = 14 * 60_000;
  const isOld = () => Date.now() - (message.t ?? 0) * 1_000 > aboutWindowMs;
  if (!canEdit()) return isOld() ? 'too_late' : 'not_editable';
  let edited: PageMessage | undefined;
  try {
    const { remote } = message.id;
    const chat = tools.knownChat(String(remote)) ?? { id: remote };
    const { ids: mentionedJidList, text } = tools.mentioned(
      chat,
      mentions ?? tools.mentionedStill(message, body),
      body,
    );
    // The page drops the preview that it is not given; a new one is not made: the library fails on a link that has none.
    const { matchedText } = message;
    const extraOptions = matchedText && text.includes(matchedText) ? { linkPreview: message } : {};
    const edit = () => window.WWebJS.editMessage(message, text, { mentionedJidList, extraOptions });
    edited = await tools.whileEditing(message, edit);
  } catch (error) {
    if (isOld()) return 'too_late';
    return canEdit() ? tools.refusedBy(error) : 'not_editable';
  }
  // The page does not throw if an edit has failed, for example because the answer was lost; it removes the mark from one
  // that succeeds.
  if (tools.hasFailedEdit(message)) return isOld() ? 'too_late' : 'unknown';
  return tools.sentModel(edited ?? message);
}

/**
 * Deletes a message, for everyone if requested and still possible. Returns for whom it was deleted. `ignored`: the page
 * has not carried it out; `unknown`: it does not say whether the others have been told.
 */
export async function deleteMessage(
  messageId: string,
  forEveryone: boolean,
): Promise<'everyone' | 'me' | 'no_message' | 'not_mine' | 'only_for_everyone' | 'ignored' | 'unknown' | Refused> {
  const tools = window.chatWebTools;
  const message = await tools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  const { Chat } = window.require('WAWebCollections');
  if (String(message.id.remote) === 'status@broadcast') {
    // A status can only be deleted for everyone.
    if (!message.id.fromMe) return 'not_mine';
    if (!forEveryone) return 'only_for_everyone';
    return (await tools.revokeStatus(message)) ? 'everyone' : 'unknown';
  }
  const chat = Chat.get(message.id.remote);
  if (!chat) return 'no_message';
  const { canSenderRevokeMsg, canAdminRevokeMsg } = window.require('WAWebMsgActionCapability');
  // Not with the page's commands: they resolve before anything is done.
  const { sendRevokeMsgs, sendDeleteMsgs } = window.require('WAWebChatSendMessages');
  const record = { type: 'message', list: [message] } as const;
  // While one is under way in the chat, the page returns its promise, also for another message.
  return tools.oneByOne(chat, async () => {
    if (message.type === 'revoked') return 'no_message';
    if (forEveryone && (canSenderRevokeMsg(message) || canAdminRevokeMsg(message))) {
      try {
        const [result] = (await sendRevokeMsgs(chat, record, true)) ?? [];
        const { is, name, code } = tools.readOutcome(result);
        const limited = 429;
        // Not for the account alone instead: then nobody could try again.
        if (is === 'refused') return code || name === 'ERROR_RATE_LIMIT' ? { refused: code ?? limited } : 'ignored';
        return is === 'unknown' && name !== undefined ? 'unknown' : 'everyone';
      } catch (error) {
        return tools.refusedBy(error);
      }
    }
    // Older builds take three arguments.
    const deleted =
      sendDeleteMsgs.length > 1
        ? await sendDeleteMsgs(chat, record, true)
        : await sendDeleteMsgs({ chat_: chat, record, clearMedia: true });
    // The number of messages that were deleted: what the network refuses is not thrown.
    return deleted === 0 ? 'ignored' : 'me';
  });
}
