export { GatewayError, type KeyedOptions } from '@chat-web/protocol';
export { createClient } from './client.ts';
export { openEventStream, type ReceivedEvent } from './event-stream.ts';
export { sendText, type TextMessage } from './send-text.ts';
export { ask, type GatewayAddress, type GatewayRequest } from './transport.ts';
