import type { PageMessage, PageWindow } from './window.ts';

declare const window: PageWindow;

/** Whether a message can be sent as asked, found out before anything is sent. Throws for an unregistered number. */
export async function checkSend(
  chatId: string,
  quotedMessageId: string | undefined,
): Promise<'ok' | 'no_chat' | 'no_quoted_message' | 'not_quotable'> {
  const chat = await window.WWebJS.getChat(chatId, { getAsModel: false });
  if (!chat) return 'no_chat';
  if (!quotedMessageId) return 'ok';
  const quoted = await window.chatWebTools.findMessage(quotedMessageId);
  if (!quoted) return 'no_quoted_message';
  return window.require('WAWebMsgReply').canReplyMsg(quoted.unsafe()) ? 'ok' : 'not_quotable';
}

/** Sends a message with the library's own function in the page; its model, or undefined if the library gave none. */
export async function sendMessage(
  chatId: string,
  content: string,
  options: object,
): Promise<Record<string, unknown> | undefined> {
  const chat = await window.WWebJS.getChat(chatId, { getAsModel: false });
  if (!chat) return undefined;
  const sent = await window.WWebJS.sendMessage(chat, content, options);
  try {
    return sent && window.WWebJS.getMessageModel(sent);
  } catch {
    return {}; // It is sent, whatever its model looks like.
  }
}

/** Waits until the network has taken (or refused) a message that is being sent: its ack then, or 0 when time is up. */
export async function waitForAck(id: string, timeoutMs: number): Promise<number> {
  const { Msg } = window.require('WAWebCollections');
  const sent = Msg.get(id);
  if (sent?.ack !== 0) return sent?.ack ?? 0;
  return await new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      Msg.off('change:ack', onAck);
      resolve(sent.ack);
    };
    const onAck = (message: PageMessage) => {
      if (message === sent && sent.ack !== 0) done();
    };
    const timer = setTimeout(done, timeoutMs);
    Msg.on('change:ack', onAck);
  });
}

/** Reacts to a message, or takes the reaction back with an empty emoji. The library itself is silent about unknown ones. */
export async function react(messageId: string, emoji: string): Promise<'ok' | 'no_message'> {
  const message = await window.chatWebTools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  await window.require('WAWebSendReactionMsgAction').sendReactionToMsg(message, emoji);
  return 'ok';
}

/** Edits a message of one's own; its new model, or why not. */
export async function editMessage(
  messageId: string,
  body: string,
): Promise<Record<string, unknown> | 'no_message' | 'not_mine' | 'too_late' | 'not_editable'> {
  const message = await window.chatWebTools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  if (!message.id.fromMe) return 'not_mine';
  const { canEditText, canEditCaption } = window.require('WAWebMsgActionCapability');
  // Towards the end of the window the network's clock is the one that counts, and not the page's.
  const aboutWindowMs = 14 * 60_000;
  const whyNot = Date.now() - (message.t ?? 0) * 1_000 > aboutWindowMs ? 'too_late' : 'not_editable';
  if (!canEditText(message) && !canEditCaption(message)) return whyNot;
  let edited: PageMessage | undefined;
  try {
    // Without a link preview: the library fails on a link that has none.
    edited = await window.WWebJS.editMessage(message, body, { mentionedJidList: [] });
  } catch (error) {
    if (window.chatWebTools.isRefusal(error)) return whyNot;
    throw error;
  }
  try {
    return window.WWebJS.getMessageModel(edited ?? message);
  } catch {
    return {}; // It is edited, whatever its model looks like.
  }
}

/** Deletes a message, for everyone where that is asked for and still possible; says for whom it is deleted. */
export async function deleteMessage(
  messageId: string,
  forEveryone: boolean,
): Promise<'everyone' | 'me' | 'no_message' | 'not_mine' | 'only_for_everyone'> {
  const message = await window.chatWebTools.findMessage(messageId);
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
  const { Cmd } = window.require('WAWebCmd');
  const messages = { list: [message], type: 'message' };
  if (forEveryone && (canSenderRevokeMsg(message) || canAdminRevokeMsg(message))) {
    try {
      await Cmd.sendRevokeMsgs(chat, messages, { clearMedia: true });
      return 'everyone';
    } catch (error) {
      if (!window.chatWebTools.isRefusal(error)) throw error; // Too late by the network's clock.
    }
  }
  await Cmd.sendDeleteMsgs(chat, messages, true);
  return 'me';
}
