import { delay } from './delay.ts';
import type { SendAnswer } from './messages.ts';
import type { SendPlan } from './models.ts';
import { Refusal } from './refusal.ts';
import { download } from './tools/files.ts';
import { blocked, findMessage, noMessage, requireMessage } from './tools/messages.ts';
import { answerOf, endForward, expectForward, requireChoice, signal, tooBusy } from './tools/outcomes.ts';

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
): Promise<Exclude<SendAnswer, 'unchecked'>> {
  const { call, beginBy, answerBy } = plan;
  requireChoice();
  const message = await findMessage(messageId);
  if (!message) throw noMessage();
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
  if (!handing) throw tooBusy();
  signal({ is: 'sending', call });
  // Checked after the signal: a page that freezes in between must not send later without the worker's knowledge.
  if (Date.now() > beginBy) {
    endForward(chat, mark);
    throw tooBusy();
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
    if (/block/i.test(String(handed.error))) throw blocked();
    throw handed.error;
  }
  // It does not report texts that it could not send.
  if ('undelivered' in handed) {
    if (!handed.undelivered?.length) return {};
    throw new Refusal('client_failed', 'the page could not prepare the message; nothing was sent');
  }
  const added = await Promise.race([handed.added, delay(Math.max(0, answerBy - Date.now()))]).catch(() => undefined);
  const sent = window.require('WAWebCollections').Msg.get(handed.id) ?? added;
  return sent ? answerOf(sent, plan) : {};
}
