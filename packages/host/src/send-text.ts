import type { InputOf, Message, OperationMethods } from '@chat-web/protocol';

/** A text to send through a session. */
export type TextMessage = Extract<InputOf<'sendMessage'>, { readonly type: 'text' }>;

/** Sends a text; the same as `sendMessage`, whose answer to a reaction is another. */
export async function sendText(client: OperationMethods, text: TextMessage): Promise<Message> {
  const sent = await client.sendMessage(text);
  if ('timestamp' in sent) return sent;
  throw new Error('the gateway answered a text as if it were a reaction');
}
