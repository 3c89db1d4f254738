import { runCommand } from '../command-line.ts';
import { readArguments, USAGE } from './arguments.ts';
import { link } from './link.ts';

/** `npm run link`: links an account on its owner's computer, and moves the session to a gateway. */

const { argv, env } = process;
const print = (line: string) => process.stdout.write(`${line}\n`);

await runCommand(
  USAGE,
  () => readArguments(argv.slice(2), env),
  (options, signal) => link(options, { env, print, signal }),
);
