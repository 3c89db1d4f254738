import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

/** A log whose level can be changed at runtime. */
export interface LevelledLog {
  readonly log: Log;
  /** Where its lines go. */
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
/** How long lines are collected, and how much of them. */
const COLLECT_MS = 50;
const MOST_LENGTH = 16_384;

/**
 * Lines on stdout, written asynchronously. They are collected for a moment and written together: a write takes as much
 * processor time as the rest of a short request. None is lost when the process exits or ends by an uncaught error.
 */
class BatchedLines implements DestinationStream {
  readonly #stdout = pino.destination(1);
  #lines = '';
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    process.on('exit', () => {
      this.flush();
      this.#stdout.flushSync();
    });
  }

  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length > MOST_LENGTH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), COLLECT_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === '') return;
    this.#stdout.write(this.#lines);
    this.#lines = '';
  }
}

/** Redacts phone numbers, also those in ids of chats and messages. Versions of the page, such as 2.3000.1234567, are kept. */
export function withoutNumbers(text: string): string {
  const parts = text.split(/(\b\d{1,2}\.\d{1,5}\.\d{1,12})/);
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(/\d{7,}/g, '<number>'))).join('');
}

function rankOf(level: string): number {
  return pino.levels.values[level] ?? Number.POSITIVE_INFINITY; // silent has no rank.
}

const toTerminal = () => pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', singleLine: true });

const labelOnly = (label: string) => ({ level: label });
