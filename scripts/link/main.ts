import { interruption } from '../interruption.ts';
import { UsageError } from '../usage-error.ts';
import { readArguments, USAGE } from './arguments.ts';
import { link } from './link.ts';

/** `npm run link`: links an account on its owner's computer, and moves the session to a gateway. */

const EX_USAGE = 2;
const EX_INTERRUPTED = 130;

try {
  const options = readArguments(process.argv.slice(2), process.env);
  if (options === undefined) process.stdout.write(USAGE);
  else {
    const interrupted = interruption();
    const isThere = await link(options, {
      env: process.env,
      print: (line) => process.stdout.write(`${line}\n`),
      signal: interrupted.signal,
    });
    process.exitCode = interrupted.signal.aborted ? EX_INTERRUPTED : Number(!isThere);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = EX_USAGE;
}
