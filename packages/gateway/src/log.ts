import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

/** A log whose level can be set again while it is in use. */
export interface LevelledLog {
  readonly log: Log;
  /** Where its lines go. */
  readonly destination: DestinationStream;
  /** From here on the log, and every child of it, holds lines of this level and above. */
  setLevel(level: string): void;
}

/** JSON lines on stdout; on a terminal, lines for people. Never given a message body, a QR or a token. */
export function createLog(level: string): LevelledLog {
  let lowest = rankOf(level);
  const { isTTY } = process.stdout;
  const destination = isTTY ? toTerminal() : pino.destination(1);
  const options: pino.LoggerOptions = {
    // Children copy the level that they are made with, and would keep it: so all let everything pass, up to this gate.
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

/** A sentence without the numbers of people, which stand in the ids of chats and messages, too. */
export function withoutNumbers(text: string): string {
  return text.replace(/\d{7,}/g, '<number>');
}

function rankOf(level: string): number {
  return pino.levels.values[level] ?? Number.POSITIVE_INFINITY; // silent has no rank.
}

const toTerminal = () => pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', singleLine: true });

const labelOnly = (label: string) => ({ level: label });
