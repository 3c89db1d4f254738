import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { yieldToEventLoop } from '../../event-loop.ts';

/** By then, a client that reads while it sends has seen the response and stopped sending. */
const GRACE_MS = 200;
/** Limits for discarding input after that: duration, pieces, and bytes per turn of the event loop. */
const LINGER_MS = 1_500;
const MAX_PIECES = 10_000;
const TURN_BYTES = 65_536;

const costly = new WeakSet<IncomingMessage>();

/** For a body that is too costly even to discard: reads nothing more of its connection, so that the caller must wait. */
export function stopReading(incoming: IncomingMessage): void {
  costly.add(incoming);
  incoming._read = () => {}; // It would resume the socket.
  incoming.socket.pause();
}

/**
 * A response body that is sent at once, but does not end until the caller stops sending. Closing a connection while
 * input arrives resets it, and the caller may never see the response.
 */
export function lingeringBody(answer: Uint8Array, { incoming }: HttpBindings): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(stream) {
      stream.enqueue(answer);
      if (costly.has(incoming)) await delay(GRACE_MS + LINGER_MS);
      else await discardInput(incoming);
      stream.close();
    },
  });
}

/** Discards a limited amount per turn of the event loop, so that many such callers do not block others. */
function discardInput(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let [pieces, bytes] = [0, 0];
    const done = () => {
      clearTimeout(grace);
      clearTimeout(timer);
      incoming.off('data', onData).off('end', done).off('close', done);
      resolve();
    };
    const onData = (piece: Buffer) => {
      pieces += 1;
      bytes += piece.length;
      if (pieces > MAX_PIECES) return done();
      if (bytes < TURN_BYTES) return;
      bytes = 0;
      incoming.pause();
      void yieldToEventLoop().then(() => incoming.resume());
    };
    incoming.pause().on('end', done).on('close', done);
    const grace = setTimeout(() => incoming.on('data', onData).resume(), GRACE_MS);
    const timer = setTimeout(done, GRACE_MS + LINGER_MS);
  });
}
