import type { MessageModel, PageMessage, PageWindow, Refused } from './window.ts';

declare const window: PageWindow;

/** What was found out before anything is sent. */
export type SendCheck = 'ok' | 'no_chat' | 'no_recipient' | 'no_quoted_message' | 'not_quotable' | Refused;

/** Whether a message can be sent as asked. Whoever the account has no chat with is asked about first, once. */
export async function checkSend(chatId: string, quotedMessageId: string | undefined): Promise<SendCheck> {
  const { Chat } = window.require('WAWebCollections');
  const tools = window.chatWebTools;
  const wid = window.require('WAWebWidFactory').createWid(chatId);
  const lid = tools.lidOf(wid);
  if (!Chat.get(wid) && !(lid && Chat.get(lid))) {
    // The page would open a chat with any group that it is asked for, and lose what is sent there.
    if (chatId.endsWith('@g.us')) return 'no_chat';
    try {
      if (chatId.endsWith('@c.us') && !(await tools.isRegistered(wid))) return 'no_recipient';
      if (!(await window.WWebJS.getChat(chatId, { getAsModel: false }))) return 'no_chat';
    } catch (error) {
      const isPages = tools.refusal(error) === undefined;
      if (isPages && /No LID for user/i.test(String(error))) return 'no_recipient';
      if (isPages && chatId.endsWith('@broadcast')) return 'no_chat';
      return tools.refusedBy(error);
    }
  }
  if (!quotedMessageId) return 'ok';
  const quoted = await tools.findMessage(quotedMessageId);
  if (!quoted) return 'no_quoted_message';
  return window.require('WAWebMsgReply').canReplyMsg(quoted.unsafe()) ? 'ok' : 'not_quotable';
}

/** Sends a message with the library's own function in the page; its model, or undefined if the library gave none. */
export async function sendMessage(chatId: string, content: string, options: object): Promise<MessageModel | undefined> {
  const chat = await window.WWebJS.getChat(chatId, { getAsModel: false });
  if (!chat) return undefined;
  const sent = await window.WWebJS.sendMessage(chat, content, options);
  return sent && window.chatWebTools.sentModel(sent);
}

/** What has become of a message that was sent: its ack, or that it was refused, and by which code. */
export interface SendState {
  /** 0 when the time was up. */
  readonly ack: number;
  readonly refused?: { readonly name?: string | undefined; readonly code?: number | undefined };
}

/** Waits until the network has taken or refused a message: by its ack, or by what the page answers of the send. */
export async function waitForAck(id: string, timeoutMs: number): Promise<SendState> {
  const { Msg } = window.require('WAWebCollections');
  const sent = Msg.get(id);
  if (sent && sent.ack > 0) return { ack: sent.ack };
  let isUnknown = false;
  let onAck: (message: PageMessage) => void = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const acked = new Promise<SendState>((resolve) => {
    onAck = (message) => {
      if (message !== sent || sent.ack === 0) return;
      // One that fails has an answer of the page's own, too, which knows why, or that it does not know.
      if (sent.ack > 0) resolve({ ack: sent.ack });
      else setTimeout(() => resolve({ ack: isUnknown ? 0 : sent.ack }), 500);
    };
    Msg.on('change:ack', onAck);
    if (sent && sent.ack < 0) onAck(sent);
  });
  const answered = new Promise<SendState>((resolve) => {
    void window.chatWebTools.outcomeOf(id)?.then(({ is, name, code }) => {
      isUnknown = is === 'unknown'; // The page sends it again, or the network has it: only an ack says so.
      if (is === 'sent') resolve({ ack: Math.max(1, sent?.ack ?? 1) });
      if (is === 'refused') resolve({ ack: -1, refused: { name, code } });
    });
  });
  const late = new Promise<SendState>((resolve) => {
    timer = setTimeout(() => resolve({ ack: sent?.ack ?? 0 }), timeoutMs);
  });
  try {
    return await Promise.race([acked, late, answered]);
  } finally {
    clearTimeout(timer);
    Msg.off('change:ack', onAck);
  }
}

/** Reacts to a message, or takes the reaction back with an empty emoji. The library itself is silent about unknown ones. */
export async function react(messageId: string, emoji: string): Promise<'ok' | 'no_message'> {
  const message = await window.chatWebTools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  await window.require('WAWebSendReactionMsgAction').sendReactionToMsg(message, emoji);
  return 'ok';
}

/** Edits a message of one's own; its new model, undefined where that cannot be read, or why not. */
export async function editMessage(
  messageId: string,
  body: string,
): Promise<MessageModel | undefined | 'no_message' | 'not_mine' | 'too_late' | 'not_editable' | Refused> {
  const tools = window.chatWebTools;
  const message = await tools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  if (!message.id.fromMe) return 'not_mine';
  const { canEditText, canEditCaption } = window.require('WAWebMsgActionCapability');
  const canEdit = () => canEditText(message) || canEditCaption(message);
  // Towards the end of the window the network's clock is the one that counts, and not the page's. It may also close
  // while the request is under way.
  const aboutWindowMs = 14 * 60_000;
  const whyNot = () => (Date.now() - (message.t ?? 0) * 1_000 > aboutWindowMs ? 'too_late' : 'not_editable');
  if (!canEdit()) return whyNot();
  const hasFailed = () => message.isSendFailure === true;
  const failedBefore = hasFailed();
  let edited: PageMessage | undefined;
  try {
    // Without a link preview: the library fails on a link that has none.
    edited = await window.WWebJS.editMessage(message, body, { mentionedJidList: [] });
  } catch (error) {
    if (!canEdit() || whyNot() === 'too_late') return whyNot();
    const no = tools.refusedBy(error);
    return no.refused === 429 ? no : 'not_editable';
  }
  // An edit that failed is neither thrown nor answered.
  if (!failedBefore && hasFailed()) return whyNot();
  return tools.sentModel(edited ?? message);
}

/** Deletes a message, for everyone where that is asked for and still possible; says for whom it is deleted. */
export async function deleteMessage(
  messageId: string,
  forEveryone: boolean,
): Promise<'everyone' | 'me' | 'no_message' | 'not_mine' | 'only_for_everyone'> {
  const tools = window.chatWebTools;
  const message = await tools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  const { Chat, Status } = window.require('WAWebCollections');
  if (String(message.id.remote) === 'status@broadcast') {
    // A status has no copy of one's own: it is there for everyone, or for nobody.
    if (!message.id.fromMe) return 'not_mine';
    if (!forEveryone) return 'only_for_everyone';
    await window.require('WAWebRevokeStatusAction').sendStatusRevokeMsgAction(Status.getMyStatus(), message);
    return 'everyone';
  }
  const chat = Chat.get(message.id.remote);
  if (!chat) return 'no_message';
  const { canSenderRevokeMsg, canAdminRevokeMsg } = window.require('WAWebMsgActionCapability');
  // Not by the page's commands, which answer before anything has been done.
  const { sendRevokeMsgs, sendDeleteMsgs } = window.require('WAWebChatSendMessages');
  const record = { type: 'message', list: [message] } as const;
  if (forEveryone && (canSenderRevokeMsg(message) || canAdminRevokeMsg(message))) {
    try {
      const results = (await sendRevokeMsgs(chat, record, true)) ?? [];
      if (results.every((result) => (result?.messageSendResult ?? 'OK') === 'OK')) return 'everyone';
    } catch (error) {
      if (tools.refusal(error) === undefined) throw error; // Too late by the network's clock.
    }
  }
  // Older builds take three arguments.
  if (sendDeleteMsgs.length > 1) await sendDeleteMsgs(chat, record, true);
  else await sendDeleteMsgs({ chat_: chat, record, clearMedia: true });
  return 'me';
}
