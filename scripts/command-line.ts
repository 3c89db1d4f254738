import { closeSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { errorText } from '@chat-web/protocol';

type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<F extends Flags> = ReturnType<typeof parseArgs<{ args: string[]; options: F }>>['values'];

const EX_USAGE = 2;
/** As in sysexits.h. */
const EX_USAGE_SYSEXITS = 64;
const EX_INTERRUPTED = 130;

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
    process.stderr.write(`${errorText(error)}\n\n${usage}`);
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
    process.stderr.write(`${error.message}\n\n${usage}`);
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
