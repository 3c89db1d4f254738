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
  const destination = isTTY ? toTerminal() : pino.destination(1);
  const options: pino.LoggerOptions = {
    // Children copy the level at creation. So all of them use the lowest, and the hook below filters.
    level: 'trace',
    hooks: {
      logMethod(line, write, rank) {
        if (rank >= lowest) write.apply(this, line);
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
