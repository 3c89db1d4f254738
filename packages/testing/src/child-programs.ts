import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { settledWithin } from '@chat-web/protocol';

/** How long a program may take to end, also on a busy machine. */
const END_TIMEOUT_MS = 60_000;

/** The first line that a program writes to a stream. Rejects if it cannot be started, or ends before. */
export async function firstLineOf(child: ChildProcess, stream: Readable): Promise<string> {
  const lines = createInterface({ input: stream });
  const over = new AbortController();
  const { signal } = over;
  const failed = once(child, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`${child.spawnfile} ended with ${code ?? by} before its first line`);
  });
  try {
    // `once` rejects with the event `error`, too.
    const [line] = (await Promise.race([once(lines, 'line', { signal }), failed])) as [string];
    return line;
  } finally {
    failed.catch(() => {});
    over.abort();
    lines.close();
    stream.resume();
  }
}

/** Waits until a program has ended, and kills it if it does not. */
export async function untilEnded(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = once(child, 'exit');
  if (await settledWithin(exit, END_TIMEOUT_MS)) return;
  child.kill('SIGKILL');
  await exit;
}
