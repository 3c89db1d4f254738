export { GatewayError } from '@chat-web/protocol';
export { createClient, type GatewayAddress } from './client.ts';
export { openEventStream } from './event-stream.ts';
export { sendText, type TextMessage } from './send-text.ts';
