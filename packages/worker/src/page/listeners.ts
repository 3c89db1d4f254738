import type { PageMessage, PageWindow } from './window.ts';

declare const window: PageWindow;

/**
 * Listens to the page's messages and acks. The library's own listeners are not used: they need nine modules for what
 * needs one, and copy each message out of the page at each of its changes.
 */
export function listen(): void {
  const { Msg } = window.require('WAWebCollections');
  const tools = window.chatWebTools;

  // In the order in which they came, also where one has to wait for a number.
  let last: Promise<unknown> = Promise.resolve();
  const tell = (message: PageMessage) => {
    if (!tools.isTold(message)) return;
    const learned = tools.learnPeople(message).catch(() => {});
    // Its model is made when its turn has come, so that one burst names a person in one way.
    last = last
      .then(() => learned)
      .then(() => window.chatWebOnMessage(tools.messageModel(message)))
      .catch(() => {}); // One that cannot be read must not stand in the way of the others.
  };

  // What is not decrypted yet is asked for again, as the page does when somebody looks at it.
  const undecrypted = new Set<PageMessage>();
  let isAsking = false;
  const askAgainMs = 5_000;
  const gating = tools.optional('WAWebSyncGatingUtils');
  try {
    if (gating?.isPlaceholderMessageResendEnabled) gating.isPlaceholderMessageResendEnabled = () => true;
  } catch {
    // Some builds seal their modules, and decide by themselves.
  }
  const askAgain = (message: PageMessage) => {
    undecrypted.add(message);
    if (isAsking) return;
    isAsking = true;
    setTimeout(() => {
      isAsking = false;
      const resend = tools.optional('WAWebNonMessageDataRequestPlaceholderMessageResendUtils');
      const messages = [...undecrypted];
      undecrypted.clear();
      if (messages.length > 0) resend?.handlePlaceholderMsgsSeen?.(messages, true);
    }, askAgainMs);
  };

  Msg.on('add', (message) => {
    if (!message.isNewMsg || message.id.fromMe) return;
    if (message.type !== 'ciphertext') {
      tell(message);
      return;
    }
    message.once('change:type', (decrypted) => {
      undecrypted.delete(decrypted);
      tell(decrypted);
    });
    if (!message.subtype?.endsWith('_unavailable_fanout')) askAgain(message);
  });
  Msg.on('change:ack', (message, ack) => {
    if (message.id.fromMe) window.chatWebOnAck(String(message.id), Number(ack));
  });
}
