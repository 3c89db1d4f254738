import { printLine, runCommand } from '../command-line.ts';
import { readArguments, USAGE } from './arguments.ts';
import { link } from './link.ts';

/** `chat-web link`: links an account on its owner's computer, and moves the session to a gateway. */

const { argv, env } = process;

await runCommand(
  USAGE,
  () => readArguments(argv.slice(2), env),
  (options, signal) => link(options, { env, print: printLine, signal }),
);
