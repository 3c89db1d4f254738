import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CHANNEL_FDS, messageReader } from '@chat-web/protocol';
import { launchFor } from './client/browser-process.ts';
import { loadProgram } from './load-program.ts';

// The first part of the worker: starts the browser, and loads the other part meanwhile. See decision 0018.

// The gateway stops its workers itself; a Ctrl+C in a terminal reaches the whole process group.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// Node would open a debugger on loopback, for every user of the machine.
process.on('SIGUSR1', () => {});

const incoming = new Socket({ fd: CHANNEL_FDS.toWorker, readable: true });
firstLineOf(incoming).then((start) => {
  if (!start) process.exit(0); // The gateway is gone.
  const launch = launchFor(start, process.env);
  const { run } = loadProgram(join(import.meta.dirname, 'worker.cjs')) as typeof import('./worker.ts');
  run(incoming, launch, join(import.meta.dirname, 'page.js'));
});

/**
 * Returns the first line of a stream, and leaves the stream unchanged, to be read from its start. Undefined if the
 * stream ends before.
 */
function firstLineOf(stream: Readable): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const reader = messageReader();
    const chunks: Buffer[] = [];
    const settle = (line?: Uint8Array) => {
      stream.off('data', read).off('close', onClose).off('error', onClose).pause();
      if (line) stream.unshift(Buffer.concat(chunks));
      resolve(line);
    };
    const read = (chunk: Buffer) => {
      chunks.push(chunk);
      reader.feed(chunk);
      const line = reader.next();
      if (line) settle(Uint8Array.from(line));
    };
    const onClose = () => settle();
    stream.on('data', read).on('close', onClose).on('error', onClose);
  });
}
