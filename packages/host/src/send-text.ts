import type { InputOf, KeyedOptions, Message, OperationMethods } from '@chat-web/protocol';

/** A text to send: `id` of the session, `to`, `body`, and the other fields of `sendMessage` for a text. */
export type TextMessage = Extract<InputOf<'sendMessage'>, { readonly type: 'text' }>;

/**
 * Sends a text with `sendMessage`, and returns the sent message. Rejects like the methods of the client. With an
 * `idempotencyKey`, the text is sent once, however often this is called with it.
 */
export async function sendText(
  client: OperationMethods,
  text: TextMessage,
  options: KeyedOptions = {},
): Promise<Message> {
  const sent = await client.sendMessage(text, options);
  if ('timestamp' in sent) return sent;
  throw new Error('the gateway answered a text like a reaction');
}
