import type { PageMessage } from './models.ts';
import { reportArrival, reportOnceReadable } from './tools/arrivals.ts';
import { optional, wrapFunction } from './tools/identities.ts';
import { isPending } from './tools/message-types.ts';
import { signal } from './tools/outcomes.ts';

const RESEND_DELAY_MS = 5_000;

/**
 * Listens to the page's messages and acks, and reports them to the worker. The library's own listeners are not used:
 * they need nine modules instead of one, and copy a message out of the page at every change.
 */
export function listen(): void {
  const { Msg } = window.require('WAWebCollections');

  // A message that is not decrypted yet is requested again, as the page does when its chat is open.
  const undecrypted = new Set<PageMessage>();
  let isScheduled = false;
  wrapFunction(optional('WAWebSyncGatingUtils'), 'isPlaceholderMessageResendEnabled', () => () => true);
  const requestResend = (message: PageMessage) => {
    undecrypted.add(message);
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      const resend = optional('WAWebNonMessageDataRequestPlaceholderMessageResendUtils');
      const messages = [...undecrypted].filter(({ type }) => type === 'ciphertext');
      undecrypted.clear();
      if (messages.length > 0) resend?.handlePlaceholderMsgsSeen?.(messages, true);
    }, RESEND_DELAY_MS);
  };

  Msg.on('add', (message) => {
    if (!message.isNewMsg || message.id.fromMe) return;
    reportOnceReadable(message, reportArrival);
    if (isPending(message)) requestResend(message);
  });
  Msg.on('change:ack', (message, ack) => {
    if (message.id.fromMe) signal({ is: 'ack', id: String(message.id), ack: Number(ack) });
  });
}
