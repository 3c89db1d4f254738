import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

const WORKER = fileURLToPath(import.meta.resolve('@chat-web/worker/main'));

/** Forks a worker. Whatever it writes to its own stdout or stderr becomes lines of our log. */
export function forkWorker(env: Config['workerEnv'], log: Log): ChildProcess {
  const child = fork(WORKER, [], {
    serialization: 'json',
    execArgv: [],
    env,
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
