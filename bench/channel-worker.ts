import { Socket } from 'node:net';
import { CHANNEL_FDS, decodeMessage, encodeMessage, type GatewayMessage, messageReader } from '@chat-web/protocol';

/** Sends as many messages as a call requests, over Node's own channel or ours. */

const ours = process.connected ? undefined : new Socket({ fd: CHANNEL_FDS.toGateway, writable: true });
const send = (message: object): boolean =>
  ours ? ours.write(encodeMessage(message)) : (process.send?.(message, undefined, undefined, flushed) ?? true);

const message = {
  ...{ id: 'false_12025550102@c.us_3EB0AA0000000000000000', from: '12025550102@c.us', to: '12025550101@c.us' },
  ...{ fromMe: false, body: 'Wörter 😀 '.repeat(60), type: 'text', timestamp: 1_700_000_000, ack: 1, hasMedia: false },
  ...{ isForwarded: false, isStatus: false, mentionedIds: [] },
};
/** How many messages may wait in Node's channel, which has no limit itself. */
const WINDOW = 64;
let left = 0;
let waiting = 0;

function sendOn(): void {
  while (left > 0 && (ours ? !ours.writableNeedDrain : waiting < WINDOW)) {
    left -= 1;
    waiting += 1;
    send({ type: 'event', event: { name: 'message', message } });
  }
}

function flushed(): void {
  waiting -= 1;
  sendOn();
}

function onMessage(message: GatewayMessage): void {
  if (message.type !== 'call') return;
  const { callId, input } = message;
  left = (input as { messages: number }).messages;
  if (left === 0) send({ type: 'answer', callId, answer: [] });
  sendOn();
}

if (ours) {
  const reader = messageReader();
  ours.on('drain', sendOn);
  const incoming = new Socket({ fd: CHANNEL_FDS.toWorker, readable: true });
  incoming.on('close', () => process.exit());
  incoming.on('data', (chunk) => {
    reader.feed(chunk);
    for (let line = reader.next(); line; line = reader.next()) onMessage(decodeMessage(line) as GatewayMessage);
  });
} else {
  process.on('message', onMessage);
  process.on('disconnect', () => process.exit());
}
send({ type: 'heartbeat' });
