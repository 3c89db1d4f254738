import type { PageMessage } from './models.ts';
import { inTurn } from './tools/changes.ts';
import { optional } from './tools/identities.ts';
import { isDeliverable, messageModel, resolvePeople } from './tools/messages.ts';
import { signal } from './tools/outcomes.ts';

/**
 * Listens to the page's messages and acks, and reports them to the worker. The library's own listeners are not used:
 * they need nine modules instead of one, and copy a message out of the page at every change.
 */
export function listen(): void {
  const { Msg } = window.require('WAWebCollections');

  const report = (message: PageMessage) => {
    if (!isDeliverable(message)) return;
    const resolved = resolvePeople(message).catch(() => {});
    // The model is made in turn, so that all messages of a burst use the same id for a person.
    inTurn(resolved, () => ({ is: 'message', model: messageModel(message) }));
  };

  // A message that is not decrypted yet is requested again, as the page does when its chat is open.
  const undecrypted = new Set<PageMessage>();
  let isScheduled = false;
  const resendDelayMs = 5_000;
  const gating = optional('WAWebSyncGatingUtils');
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
      const resend = optional('WAWebNonMessageDataRequestPlaceholderMessageResendUtils');
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
    if (message.id.fromMe) signal({ is: 'ack', id: String(message.id), ack: Number(ack) });
  });
}
