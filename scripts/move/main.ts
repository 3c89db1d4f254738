import { runCommand } from '../command-line.ts';
import { moveSession, readOptions, USAGE } from './move-session.ts';

/** `npm run move`: moves a session from one gateway to another. */

const { argv, env } = process;
const say = (line: string) => process.stdout.write(`${line}\n`);

await runCommand(
  USAGE,
  () => readOptions(argv.slice(2), env),
  async (options, signal) => {
    const isThere = await moveSession(options, say, signal);
    if (!isThere) say('run this again to continue; to bring back a session that has not arrived, see docs/moving.md');
    return isThere;
  },
);
