import { GatewayError } from '@chat-web/protocol';

/** The account has no such message. */
export function messageNotFound(): GatewayError {
  return new GatewayError('message_not_found', 'the message is unknown to this account, or was deleted');
}

/** The account has no such chat. */
export function chatNotFound(): GatewayError {
  return new GatewayError('chat_not_found', 'the account has no such chat');
}

/** The account has no such contact. */
export function contactNotFound(): GatewayError {
  return new GatewayError('contact_not_found', 'the account has no such contact');
}
