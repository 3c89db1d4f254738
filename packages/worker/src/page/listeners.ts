import type { PageMessage, PageWindow } from './window.ts';

declare const window: PageWindow;

/**
 * Listens to the page's messages and acks, and reports them to the worker. The library's own listeners are not used:
 * they need nine modules instead of one, and copy a message out of the page at every change.
 */
export function listen(): void {
  const { Msg } = window.require('WAWebCollections');
  const tools = window.chatWebTools;

  const report = (message: PageMessage) => {
    if (!tools.isDeliverable(message)) return;
    const resolved = tools.resolvePeople(message).catch(() => {});
    // The model is made in turn, so that all messages of a burst use the same id for a person.
    tools.inTurn(resolved, () => ({ is: 'message', model: tools.messageModel(message) }));
  };

  // A message that is not decrypted yet is requested again, as the page does when its chat is open.
  const undecrypted = new Set<PageMessage>();
  let isScheduled = false;
  const resendDelayMs = 5_000;
  const gating = tools.optional('WAWebSyncGatingUtils');
  try {
    if (gating?.isPlaceholderMessageResendEnabled) gating.isPlaceholderMessageResendEnabled = () => true;
  } catch {
    // Some builds freeze their modules.
  }
  const requestResend = (message: PageMessage) => {
    undecrypted.add(message);
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      const resend = tools.optional('WAWebNonMessageDataRequestPlaceholderMessageResendUtils');
      const messages = [...undecrypted];
      undecrypted.clear();
      if (messages.length > 0) resend?.handlePlaceholderMsgsSeen?.(messages, true);
    }, resendDelayMs);
  };

  Msg.on('add', (message) => {
    if (!message.isNewMsg || message.id.fromMe) return;
    if (message.type !== 'ciphertext') {
      report(message);
      return;
    }
    message.once('change:type', (decrypted) => {
      undecrypted.delete(decrypted);
      report(decrypted);
    });
    if (!message.subtype?.endsWith('_unavailable_fanout')) requestResend(message);
  });
  Msg.on('change:ack', (message, ack) => {
    if (message.id.fromMe) tools.signal({ is: 'ack', id: String(message.id), ack: Number(ack) });
  });
}
