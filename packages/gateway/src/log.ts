import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

/** JSON lines on stdout; on a terminal, lines for people. Never given a message body, a QR or a token. */
export function createLog(level: string): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (!process.stdout.isTTY) return pino({ ...options, formatters: { level: (label) => ({ level: label }) } });
  return pino(options, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', singleLine: true }));
}
