import { Socket } from 'node:net';
import { CHANNEL_FDS, decodeMessage, encodeMessage, type GatewayMessage, messageReader } from '@chat-web/protocol';

/**
 * A worker without a browser: it is ready at once, and answers each send with a message, after an event for its ack. A
 * text that begins with `after 100 ms` is answered after that time, as by a browser. After `emit 10 every 50 ms` it
 * first reports that many acks, each with the time as its id.
 */

const OWN = '12025550101@c.us';
const outgoing = new Socket({ fd: CHANNEL_FDS.toGateway, writable: true });
const incoming = new Socket({ fd: CHANNEL_FDS.toWorker, readable: true });
const reader = messageReader();
let sent = 0;

const send = (message: object) => void outgoing.write(encodeMessage(message));

function onMessage(message: GatewayMessage): void {
  if (message.type === 'stop') process.exit();
  if (message.type === 'start') {
    const info = { pushname: 'Ada', wid: OWN, phone: '12025550101', platform: 'android' };
    send({ type: 'event', event: { name: 'ready', info } });
  }
  if (message.type !== 'call') return;
  const { to, body } = message.input as { to: string; body: string };
  const [, count, everyMs] = /^emit (\d+) every (\d+) ms$/.exec(body) ?? [];
  if (count !== undefined) {
    emit(Number(count), Number(everyMs), () => answerTo(message.callId, to, body));
    return;
  }
  answerTo(message.callId, to, body);
}

/** Makes up for timers that are late. */
function emit(count: number, everyMs: number, done: () => void): void {
  const startedAt = performance.now();
  let emitted = 0;
  const timer = setInterval(() => {
    const due = Math.min(count, Math.floor((performance.now() - startedAt) / everyMs));
    for (; emitted < due; emitted += 1) {
      const nowUs = Math.round((performance.timeOrigin + performance.now()) * 1_000);
      send({ type: 'event', event: { name: 'message_ack', id: `true_1@c.us_${nowUs}`, ack: 2 } });
    }
    if (emitted < count) return;
    clearInterval(timer);
    done();
  }, everyMs);
}

function answerTo(callId: number, to: string, body: string): void {
  sent += 1;
  const id = `true_${to}_3EB0${String(sent).padStart(16, '0')}`;
  const answer = {
    id,
    from: OWN,
    to,
    fromMe: true,
    body,
    type: 'chat',
    timestamp: 1_700_000_000,
    ack: 1,
    hasMedia: false,
    isForwarded: false,
    isStatus: false,
    mentionedIds: [],
  };
  const delayMs = Number(/^after (\d+) ms/.exec(body)?.[1] ?? 0);
  const settle = () => {
    outgoing.cork(); // Both are available at the same moment.
    send({ type: 'event', event: { name: 'message_ack', id, ack: 1 } });
    send({ type: 'answer', callId, answer });
    outgoing.uncork();
  };
  if (delayMs > 0) setTimeout(settle, delayMs);
  else settle();
}

incoming.on('close', () => process.exit());
incoming.on('data', (chunk) => {
  reader.feed(chunk);
  for (let line = reader.next(); line; line = reader.next()) onMessage(decodeMessage(line) as GatewayMessage);
});
send({ type: 'heartbeat' });
setInterval(() => send({ type: 'heartbeat' }), 5_000);
