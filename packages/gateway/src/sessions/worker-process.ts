import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

const WORKER = fileURLToPath(import.meta.resolve('@chat-web/worker/main'));

/** What makes a process cheaper that mostly waits: young garbage is collected sooner, and memory is given back. */
const LEAN_FLAGS = ['--max-semi-space-size=1', '--optimize-for-size'];
const LEAN_MALLOC = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

/** What a worker sees of an environment. */
export type WorkerEnv = Config['workerEnv'];

/** Forks a worker. Whatever it writes to its own stdout or stderr becomes lines of our log. */
export function forkWorker(env: WorkerEnv, log: Log): ChildProcess {
  const child = fork(WORKER, [], {
    serialization: 'json',
    execArgv: LEAN_FLAGS,
    env: { ...env, ...LEAN_MALLOC },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => log.warn({ line }, 'worker wrote a line'));
  }
  return child;
}

/** Resolves when the process is gone, with how it went: `code 1`, `signal SIGKILL`. */
export function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
    // A process that could not be started never exits.
    child.once('error', (error) => child.pid === undefined && resolve(`not started: ${error.message}`));
  });
}
