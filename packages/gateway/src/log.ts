import fs from 'node:fs';
import { parseEnv } from 'node:util';
import { errorText } from '@chat-web/protocol';
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import * as v from 'valibot';
import { errnoOf } from './host/errno.ts';
import { readNamedText } from './host/text-files.ts';
import { logLevel } from './log-level.ts';

export type Log = Logger;

export interface LevelledLog {
  readonly log: Log;
  readonly destination: DestinationStream;
  /** Sets the level of the log and all its children. */
  setLevel(level: string): void;
}

/** JSON lines on stdout; on a terminal, readable lines. Never pass it a message body, a QR or a token. */
export function createLog(level: string): LevelledLog {
  let lowest = rankOf(level);
  const { isTTY } = process.stdout;
  const lines = isTTY ? undefined : new BatchedLines();
  const destination = lines ?? toTerminal();
  const options: pino.LoggerOptions = {
    // Children copy the level at creation. So all of them use the lowest, and the hook below filters.
    level: 'trace',
    hooks: {
      logMethod(line, write, rank) {
        if (rank < lowest) return;
        write.apply(this, line);
        if (rank >= URGENT) lines?.flush();
      },
    },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return {
    log: pino(isTTY ? options : { ...options, formatters: { level: labelOnly } }, destination),
    destination,
    setLevel: (next) => {
      lowest = rankOf(next);
    },
  };
}

/** Lines from level error on are not collected. */
const URGENT = pino.levels.values.error ?? Number.NaN;
/** How long lines are collected after a write, and how much. */
const COLLECT_MS = 50;
const MAX_LENGTH = 16_384;
/** At exit: how long the reader of stdout may take, and how often to retry. */
const EXIT_TIMEOUT_MS = 2_000;
const EXIT_RETRY_MS = 10;
const STDOUT = 1;
const NOTHING = Buffer.alloc(0);

/**
 * Lines on stdout. The first after a quiet moment is written at once; those that follow soon are collected and written
 * together: a write takes as much processor time as the rest of a short request. Lines that a full pipe does not accept
 * are kept; those that a closed pipe or a full disk rejects are dropped. None is lost when the process exits, even
 * after an uncaught error.
 */
class BatchedLines implements DestinationStream {
  #lines = '';
  /** The unwritten rest of a partial write. */
  #rest: Buffer = NOTHING;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    process.on('exit', () => this.#finish());
  }

  write(line: string): void {
    this.#lines += line;
    if (!this.#timer || this.#lines.length > MAX_LENGTH) this.flush();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#lines !== '' || this.#rest.length > 0) this.flush();
    }, COLLECT_MS).unref();
    const bytes =
      this.#rest.length > 0 ? Buffer.concat([this.#rest, Buffer.from(this.#lines)]) : Buffer.from(this.#lines);
    this.#lines = '';
    try {
      this.#rest = bytes.subarray(fs.writeSync(STDOUT, bytes));
    } catch (error) {
      this.#rest = errnoOf(error) === 'EAGAIN' ? bytes : NOTHING;
    }
  }

  #finish(): void {
    const deadline = performance.now() + EXIT_TIMEOUT_MS;
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    if (this.#lines === '' && this.#rest.length === 0) return;
    for (;;) {
      this.flush();
      if (this.#rest.length === 0 || performance.now() > deadline) return;
      Atomics.wait(sleeper, 0, 0, EXIT_RETRY_MS);
    }
  }
}

/**
 * Redacts phone numbers, also those in ids of chats and messages. Versions of the page, such as 2.3000.1234567, are
 * kept.
 */
export function withoutNumbers(text: string): string {
  const parts = text.split(/(\b\d{1,2}\.\d{1,5}\.\d{1,12})/);
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(/\d{7,}/g, '<number>'))).join('');
}

function rankOf(level: string): number {
  return pino.levels.values[level] ?? Number.POSITIVE_INFINITY; // silent has no rank.
}

const toTerminal = () => pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', singleLine: true });

const labelOnly = (label: string) => ({ level: label });

const MAX_ENV_FILE_BYTES = 1_048_576;

/**
 * Reloads the log level from a file of KEY=value lines. If the file does not set it, the default applies, as after a
 * restart. On failure, logs an error and keeps the level. Never rejects.
 */
export async function reloadLogLevel(envFile: string, { log, setLevel }: LevelledLog): Promise<void> {
  try {
    const written =
      parseEnv(await readNamedText(envFile, MAX_ENV_FILE_BYTES))[logLevel.name]?.trim() || logLevel.fallback;
    const parsed = v.safeParse(logLevel.schema, written);
    if (!parsed.success) throw new Error(`${logLevel.name} ${parsed.issues[0].message}`);
    setLevel(parsed.output);
    log.info({ logLevel: parsed.output }, 'log level set');
  } catch (error) {
    log.error({ envFile, error: errorText(error) }, 'log level not changed');
  }
}
