import { Duplex, PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { WorkerChannel } from './worker-channel.ts';

const log = pino({ enabled: false });

/** A channel to a worker that the test plays: its messages, and their effects. */
function channel(handle: (message: unknown) => number = () => 0, takes = true) {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, written) => takes && written() });
  const messages: unknown[] = [];
  const broken: string[] = [];
  const made = new WorkerChannel({ fromWorker: socket, toWorker: socket }, log, {
    onMessage: (message) => {
      messages.push(message);
      return handle(message);
    },
    onBroken: (did) => broken.push(did),
  });
  return { made, socket, messages, broken };
}

/** Resolves when everything that a worker has sent has been read. */
async function endOf({ made, socket }: ReturnType<typeof channel>): Promise<void> {
  socket.push(null);
  socket.end();
  await made.ended;
}

const NOTHING = { type: 'stop', unlink: false, timeoutMs: 1 } as const;

describe('the channel to a worker', () => {
  it('passes on every message in order, however its bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 2 })), fc.integer({ min: 1, max: 50 }), async (sent, size) => {
        const one = channel();
        const bytes = Buffer.from(sent.map((message) => `${JSON.stringify(message)}\n`).join(''));
        for (let at = 0; at < bytes.length; at += size) one.socket.push(bytes.subarray(at, at + size));
        await endOf(one);
        expect(one.messages).toEqual(JSON.parse(JSON.stringify(sent)));
        expect(one.broken).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('never throws, and is closed at the first invalid message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 30 })), async (chunks) => {
        const one = channel();
        one.socket.push('{"first":1}\n');
        for (const chunk of chunks) one.socket.push(Buffer.from(chunk));
        one.socket.push('\nno message\n{"last":1}\n');
        await endOf(one);
        expect(one.messages[0]).toEqual({ first: 1 });
        expect(one.messages).not.toContainEqual({ last: 1 });
        expect(one.broken).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });

  it('is closed if a message cannot be handled: a bug of ours ends one session, not all', async () => {
    const one = channel(() => {
      throw new Error('a mistake');
    });
    one.socket.push('1\n2\n');
    await endOf(one);
    expect(one.messages).toEqual([1]);
    expect(one.broken).toEqual(['sent a message that could not be handled']);
  });

  it('yields to other work while it is busy with one worker', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const one = channel(() => {
      const until = performance.now() + 2;
      while (performance.now() < until);
      return 0;
    });
    one.socket.push('1\n'.repeat(100));
    await endOf(one);
    isOver = true;
    expect(one.messages).toHaveLength(100);
    expect(turns).toBeGreaterThan(20);
  });

  it('limits what is queued for a worker that does not read', () => {
    const { made, socket } = channel(() => 0, false);
    const call = { type: 'call', callId: 1, operation: 'sendMessage', input: 'x'.repeat(1_048_576) } as const;
    const taken = Array.from({ length: 20 }, () => made.send(call)).filter(Boolean).length;
    expect(taken).toBe(7);
    expect(socket.writableLength).toBeLessThan(8 * 1_048_576);
    expect(made.send(NOTHING)).toBe(true);
    made.close();
    expect(made.send(call)).toBe(true); // Pending calls are rejected elsewhere.
  });

  it('sends the messages of one turn of the event loop in one write', async () => {
    const writes: string[] = [];
    const toWorker = new Writable({
      writev: (chunks, written) => {
        writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk)).toString());
        written();
      },
    });
    const made = new WorkerChannel({ fromWorker: new PassThrough(), toWorker }, log, {
      onMessage: () => 0,
      onBroken: () => {},
    });
    const line = `${JSON.stringify(NOTHING)}\n`;
    for (let count = 0; count < 3; count += 1) made.send(NOTHING);
    await turn();
    made.send(NOTHING);
    await turn();
    expect(writes).toEqual([line.repeat(3), line]);
    made.close();
  });
});
