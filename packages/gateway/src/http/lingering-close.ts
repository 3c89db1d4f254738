import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { takeTurn } from '../loop-turns.ts';

/** Who reads while sending has seen the answer by then, and sends no more. */
const PATIENCE_MS = 200;
/** How long after that, and how many pieces of it, what still comes is thrown away; how much of it in one turn. */
const LINGER_MS = 1_500;
const MOST_PIECES = 10_000;
const TURN_BYTES = 65_536;

const costly = new WeakSet<IncomingMessage>();

/** Marks a body of which not even throwing away is worth the time: its connection is closed as soon as the answer is out. */
export function endAtOnce(incoming: IncomingMessage): void {
  costly.add(incoming);
}

/**
 * A body whose answer does not end before the caller has stopped sending: a connection that is closed while bytes come
 * in is reset, and the caller may never see the answer. It has all of the answer at once, by its Content-Length.
 */
export function lingering(answer: Uint8Array, { incoming, outgoing }: HttpBindings): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(stream) {
      stream.enqueue(answer);
      if (costly.has(incoming)) outgoing.once('finish', () => incoming.destroy());
      else await thrownAway(incoming);
      stream.close();
    },
  });
}

/** Some in each turn of the event loop, so that many who go on sending keep nobody else waiting. */
function thrownAway(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let [pieces, bytes] = [0, 0];
    const done = () => {
      clearTimeout(patience);
      clearTimeout(timer);
      incoming.off('data', onData).off('end', done).off('close', done);
      resolve();
    };
    const onData = (piece: Buffer) => {
      pieces += 1;
      bytes += piece.length;
      if (pieces > MOST_PIECES) return done();
      if (bytes < TURN_BYTES) return;
      bytes = 0;
      incoming.pause();
      void takeTurn().then(() => incoming.resume());
    };
    incoming.pause().on('end', done).on('close', done);
    const patience = setTimeout(() => incoming.on('data', onData).resume(), PATIENCE_MS);
    const timer = setTimeout(done, PATIENCE_MS + LINGER_MS);
  });
}
