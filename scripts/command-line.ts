import { closeSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { cutText, errorText, GatewayError } from '@chat-web/protocol';

type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<F extends Flags> = ReturnType<typeof parseArgs<{ args: string[]; options: F }>>['values'];

const EX_USAGE = 2;
/** As in sysexits.h. */
const EX_USAGE_SYSEXITS = 64;
const EX_INTERRUPTED = 130;

const MAX_QUOTED_LENGTH = 300;

/** Prints a line for people: what a gateway or a file has put into it cannot begin another one, or control the terminal. */
export function printLine(text: string, stream: NodeJS.WritableStream = process.stdout): void {
  stream.write(`${oneLine(text)}\n`);
}

/**
 * A text without control characters, line breaks, and what changes the direction of text. They are escaped as in JSON,
 * so that a line of JSON keeps its meaning.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** What others have written, as a part of a line: in quotes that it cannot close, and without blanks that fill a row. */
export function quoted(text: string): string {
  return `"${cutText(text, MAX_QUOTED_LENGTH).replace(/\s+/g, ' ').replaceAll('"', "'")}"`;
}

/** Why something failed, as a part of a line. What a gateway has answered is quoted: it must not pass as ours. */
export function reasonOf(error: unknown): string {
  const isAnswer = error instanceof GatewayError && error.status !== undefined;
  return isAnswer ? quoted(error.message) : errorText(error);
}

/** How the user calls a command: from an installation, or in a checkout. */
export function calledAs(command: string): string {
  const event = process.env.npm_lifecycle_event;
  if (event === command) return `npm run ${command} --`;
  return event === 'npx' ? `npx chat-web ${command}` : `chat-web ${command}`;
}

/** The command line cannot be used; the message names the flag. */
export class UsageError extends Error {}

/** The flags of a command line. Throws a UsageError. */
export function parsedFlags<const F extends Flags>(args: readonly string[], options: F): Values<F> {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(errorText(error));
  }
}

/** The flags of this process. For --help, or if they cannot be used, it prints the usage and exits. */
export function flagsOrUsage<const F extends Flags>(options: F, usage: string): Values<F> {
  try {
    const args = process.argv.slice(2);
    const { help } = parsedFlags(args, { ...options, help: { type: 'boolean', short: 'h' } }) as { help?: boolean };
    if (!help) return parsedFlags(args, options);
    process.stdout.write(usage);
  } catch (error) {
    process.stderr.write(`${oneLine(errorText(error))}\n\n${usage}`);
    process.exit(EX_USAGE_SYSEXITS);
  }
  process.exit(0);
}

/**
 * Runs a command until it ends or is interrupted, and sets the exit code: `run` resolves with whether it succeeded.
 * Without options, or if `read` throws a UsageError, it prints the usage.
 */
export async function runCommand<O>(
  usage: string,
  read: () => O | undefined,
  run: (options: O, signal: AbortSignal) => Promise<boolean>,
): Promise<void> {
  try {
    const options = read();
    if (options === undefined) {
      process.stdout.write(usage);
      return;
    }
    const { signal } = interruption();
    const hasSucceeded = await run(options, signal);
    process.exitCode = signal.aborted ? EX_INTERRUPTED : Number(!hasSucceeded);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${oneLine(error.message)}\n\n${usage}`);
    process.exitCode = EX_USAGE;
  }
}

/**
 * Aborts when the user ends the command: by Ctrl+C, by a SIGTERM, or by closing the terminal. The command then
 * continues to its end: output to a closed terminal is lost.
 */
export function interruption(): AbortController {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
  let isClosed = false;
  const closed = () => {
    if (!isClosed) process.once('exit', leaveTerminal);
    isClosed = true; // Every further line causes another error of the stream.
  };
  process.once('SIGHUP', closed);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', closed);
  return interrupted;
}

/** Node restores the terminal when it exits, and aborts if it is closed. */
function leaveTerminal(): void {
  for (const fd of [0, 1, 2]) {
    try {
      closeSync(fd);
    } catch {
      // It is closed already.
    }
  }
}
