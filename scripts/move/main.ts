import { printLine, runCommand } from '../command-line.ts';
import { moveSession, readOptions, USAGE } from './move-session.ts';

/** `chat-web move`: moves a session from one gateway to another. */

const { argv, env } = process;

await runCommand(
  USAGE,
  () => readOptions(argv.slice(2), env),
  async (options, signal) => {
    const isThere = await moveSession(options, printLine, signal);
    if (!isThere)
      printLine('run this again to continue; to bring back a session that has not arrived, see docs/moving.md');
    return isThere;
  },
);
