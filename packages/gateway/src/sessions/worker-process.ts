import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { CHANNEL_FDS, LineReader } from '@chat-web/protocol';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { ChannelSockets } from './worker-channel.ts';

/**
 * The flags of a worker. A mostly idle process takes less memory: young garbage is collected sooner, and memory is
 * returned.
 */
export const LEAN_FLAGS = ['--max-semi-space-size=1', '--optimize-for-size', '--expose-gc'];
const LEAN_MALLOC = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };
/** Limits of a worker's output in the log: a crash report is shorter. */
const MAX_LINE_BYTES = 2_048;
const MAX_LINES_PER_TURN = 100;
const OUTPUT_BYTES_PER_MS = 4;
const LAST_WORDS_MS = 1_000;

const STDIO = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const;
/** What a worker takes of the gateway's limit of open files. */
export const FILES_PER_WORKER = STDIO.filter((kind) => kind === 'pipe').length;

export type WorkerEnv = Config['workerEnv'];

export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly channel: ChannelSockets;
}

/**
 * Starts a worker. Its output on stdout and stderr is logged line by line; otherwise only the channel is read. Node's
 * own IPC channel is not opened.
 */
export function startWorker(program: string, env: WorkerEnv, log: Log): WorkerProcess {
  const child = spawn(process.execPath, [...LEAN_FLAGS, program], {
    env: { ...env, ...LEAN_MALLOC },
    stdio: [...STDIO],
  });
  // If it could not be started, these may be missing.
  const { stdout, stderr, stdio } = child as { stdout?: Readable; stderr?: Readable; stdio?: (Duplex | null)[] };
  for (const stream of [stdout, stderr]) {
    if (!stream) continue;
    logLines(stream, log);
    // Its children may outlive it, and write.
    child.once('exit', () => setTimeout(() => stream.destroy(), LAST_WORDS_MS).unref());
  }
  const socketAt = (fd: number) => stdio?.[fd] ?? new Socket().destroy();
  return {
    child,
    channel: { fromWorker: socketAt(CHANNEL_FDS.toGateway), toWorker: socketAt(CHANNEL_FDS.toWorker) },
  };
}

/** Resolves when the process has exited, with the way it exited: `code 1`, `signal SIGKILL`. */
export function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
    // A process that could not be started emits no exit.
    child.once('error', (error) => child.pid === undefined && resolve(`not started: ${error.message}`));
  });
}

/** Rate-limited: a worker that writes endlessly has to wait. */
function logLines(stream: Readable, log: Log): void {
  const reader = new LineReader({ maxBytes: MAX_LINE_BYTES, cut: true });
  const decoder = new TextDecoder();
  const read = (chunk: Uint8Array) => {
    reader.feed(chunk);
    let left = MAX_LINES_PER_TURN;
    for (let bytes = reader.next(); bytes; bytes = reader.next()) {
      if (bytes.length > 0 && left-- > 0) log.warn({ line: decoder.decode(bytes) }, 'worker output');
    }
  };
  stream.on('data', (chunk: Buffer) => {
    read(chunk);
    stream.pause();
    setTimeout(() => stream.resume(), chunk.length / OUTPUT_BYTES_PER_MS).unref();
  });
  stream.on('end', () => read(Buffer.from('\n')));
  stream.on('error', () => {}); // Its exit is reported elsewhere.
}
