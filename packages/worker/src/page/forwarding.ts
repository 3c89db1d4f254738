import { delay } from './delay.ts';
import type { SendAnswer } from './messages.ts';
import type { SendPlan } from './models.ts';
import { download } from './tools/files.ts';
import { findMessage } from './tools/messages.ts';
import { answerOf, canIdentify, endForward, expectForward, signal } from './tools/outcomes.ts';

/** Why a message cannot be forwarded. */
type Unforwardable = 'no_message' | 'not_forwardable';

/** The kind of a message to forward, or why it cannot be; `not_loaded`: the page has to download its file first. */
export async function checkForward(messageId: string): Promise<'file' | 'no_file' | 'not_loaded' | Unforwardable> {
  const message = await findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  if (window.require('WAWebMsgActionCapability').canForwardMsg(message)) return message.directPath ? 'file' : 'no_file';
  const isLoaded = !message.directPath || message.mediaData?.mediaStage === 'RESOLVED';
  return isLoaded || message.isViewOnce ? 'not_forwardable' : 'not_loaded';
}

/**
 * Makes the page download the file of a message to forward, with a time limit. `gone`: the network does not have it;
 * `not_downloaded`: the download failed, or has not finished.
 */
export async function loadForward(
  messageId: string,
  timeoutMs: number,
): Promise<'file' | 'gone' | 'not_downloaded' | Unforwardable> {
  const message = await findMessage(messageId);
  if (!message) return 'no_message';
  const stage = await download(message, timeoutMs);
  if (window.require('WAWebMsgActionCapability').canForwardMsg(message)) return 'file';
  if (stage === 'RESOLVED') return 'not_forwardable';
  return stage === 'REUPLOADING' || stage === 'ERROR_MISSING' ? 'gone' : 'not_downloaded';
}

/**
 * Forwards a message with the page's own function, and waits until the network has it. That function hides failures and
 * returns no message: a hook at the handover reports both. `not_handed`: the message was certainly not handed over.
 */
export async function forwardMessage(
  plan: SendPlan,
  messageId: string,
  chatId: string,
): Promise<Exclude<SendAnswer, 'unchecked'> | Unforwardable | 'blocked' | 'not_handed'> {
  const { call, beginBy, answerBy } = plan;
  if (!canIdentify()) return 'no_choice';
  const message = await findMessage(messageId);
  if (!message) return 'no_message';
  const chat = await window.WWebJS.getChat(chatId, { getAsModel: false });
  if (!chat) return {};
  // One at a time per chat: the page does not say which message it forwards.
  const mark = { call, messageId: plan.messageId };
  let handing = expectForward(chat, mark);
  const pollMs = 50;
  while (!handing && Date.now() < beginBy) {
    await delay(pollMs);
    handing = expectForward(chat, mark);
  }
  if (!handing) return 'late';
  signal({ is: 'sending', call });
  // Checked after the signal: a page that freezes in between must not send later without the worker's knowledge.
  if (Date.now() > beginBy) {
    endForward(chat, mark);
    return 'late';
  }
  const { forwardMessages } = window.require('WAWebChatForwardMessage');
  const ended = Promise.resolve(forwardMessages({ chat, msgs: [message], multicast: true, includeCaption: true }))
    .then((undelivered) => ({ undelivered }))
    .catch((error: unknown) => ({ error }))
    .finally(() => endForward(chat, mark));
  const handed = await Promise.race([handing, ended, delay(Math.max(0, answerBy - Date.now()))]);
  if (!handed) return {};
  if ('error' in handed) {
    // It only throws for a blocked recipient, before anything is handed over.
    if (/block/i.test(String(handed.error))) return 'blocked';
    throw handed.error;
  }
  // It does not report texts that it could not send.
  if ('undelivered' in handed) return handed.undelivered?.length ? 'not_handed' : {};
  const added = await Promise.race([handed.added, delay(Math.max(0, answerBy - Date.now()))]).catch(() => undefined);
  const sent = window.require('WAWebCollections').Msg.get(handed.id) ?? added;
  return sent ? answerOf(sent, plan) : {};
}
