import { interruption } from '../interruption.ts';
import { UsageError } from '../usage-error.ts';
import { moveSession } from './move-session.ts';
import { readOptions, USAGE } from './options.ts';

/** `npm run move`: moves a session from one gateway to another. */

const EX_USAGE = 2;
const EX_INTERRUPTED = 130;

const say = (line: string) => process.stdout.write(`${line}\n`);
try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === undefined) process.stdout.write(USAGE);
  else {
    const interrupted = interruption();
    const isThere = await moveSession(options, say, interrupted.signal);
    if (!isThere) say('run this again to go on; to bring back a session that has not arrived, see docs/moving.md');
    process.exitCode = interrupted.signal.aborted ? EX_INTERRUPTED : Number(!isThere);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = EX_USAGE;
}
