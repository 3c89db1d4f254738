import type { SendAnswer, SendPlan } from './messages.ts';
import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/** Why a message cannot be forwarded. */
type Unforwardable = 'no_message' | 'not_forwardable';

/** What a message to forward is, or why it cannot be; `not_loaded`: not before the page has downloaded its file. */
export async function checkForward(messageId: string): Promise<'file' | 'no_file' | 'not_loaded' | Unforwardable> {
  const message = await window.chatWebTools.findMessage(messageId);
  if (!message || message.type === 'revoked') return 'no_message';
  if (window.require('WAWebMsgActionCapability').canForwardMsg(message)) return message.directPath ? 'file' : 'no_file';
  const isLoaded = !message.directPath || message.mediaData?.mediaStage === 'RESOLVED';
  return isLoaded || message.isViewOnce ? 'not_forwardable' : 'not_loaded';
}

/**
 * Has the page download the file of a message to forward, within the time. `gone`: the network does not have it;
 * `not_downloaded`: the page could not, or has not yet.
 */
export async function loadForward(
  messageId: string,
  timeoutMs: number,
): Promise<'file' | 'gone' | 'not_downloaded' | Unforwardable> {
  const message = await window.chatWebTools.findMessage(messageId);
  if (!message) return 'no_message';
  const stage = await window.chatWebTools.download(message, timeoutMs);
  if (window.require('WAWebMsgActionCapability').canForwardMsg(message)) return 'file';
  if (stage === 'RESOLVED') return 'not_forwardable';
  return stage === 'REUPLOADING' || stage === 'ERROR_MISSING' ? 'gone' : 'not_downloaded';
}

/**
 * Forwards a message with the page's own function, and waits until the network has it. That function hides failures and
 * names no message: both are learned where it hands the message over. `not_handed` if it certainly was not.
 */
export async function forwardMessage(
  plan: SendPlan,
  messageId: string,
  chatId: string,
): Promise<Exclude<SendAnswer, 'unchecked'> | Unforwardable | 'blocked' | 'not_handed'> {
  const { call, beginBy, answerBy } = plan;
  const tools = window.chatWebTools;
  const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  if (!tools.canIdentify()) return 'no_choice';
  const message = await tools.findMessage(messageId);
  if (!message) return 'no_message';
  const chat = await window.WWebJS.getChat(chatId, { getAsModel: false });
  if (!chat) return {};
  // One at a time to a chat: the page does not say which message it forwards.
  const mark = { call, messageId: plan.messageId };
  let handing = tools.expectForward(chat, mark);
  const pollMs = 50;
  while (!handing && Date.now() < beginBy) {
    await delay(pollMs);
    handing = tools.expectForward(chat, mark);
  }
  if (!handing) return 'late';
  tools.signal({ is: 'sending', call });
  // After the signal: a page that freezes between the two must not go on in silence.
  if (Date.now() > beginBy) {
    tools.endForward(chat, mark);
    return 'late';
  }
  const { forwardMessages } = window.require('WAWebChatForwardMessage');
  const ended = Promise.resolve(forwardMessages({ chat, msgs: [message], multicast: true, includeCaption: true }))
    .then((undelivered) => ({ undelivered }))
    .catch((error: unknown) => ({ error }))
    .finally(() => tools.endForward(chat, mark));
  const handed = await Promise.race([handing, ended, delay(Math.max(0, answerBy - Date.now()))]);
  if (!handed) return {};
  if ('error' in handed) {
    // It throws for a recipient that is blocked alone, before anything is handed over.
    if (/block/i.test(String(handed.error))) return 'blocked';
    throw handed.error;
  }
  // Of texts that it could not send it says nothing.
  if ('undelivered' in handed) return handed.undelivered?.length ? 'not_handed' : {};
  const added = await Promise.race([handed.added, delay(Math.max(0, answerBy - Date.now()))]).catch(() => undefined);
  const sent = window.require('WAWebCollections').Msg.get(handed.id) ?? added;
  return sent ? tools.answerOf(sent, plan) : {};
}
