export { createClient, type GatewayAddress } from './client.ts';
export { openEventStream } from './event-stream.ts';
