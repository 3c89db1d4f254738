import { Socket } from 'node:net';
import { join } from 'node:path';
import { CHANNEL_FDS } from '@chat-web/protocol';
import { launchFor } from './client/browser-process.ts';
import { firstLineOf } from './first-line.ts';
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
  run(incoming, launch);
});
