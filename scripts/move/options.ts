import { parseArgs } from 'node:util';
import { sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { type End, type Environment, endOf } from '../gateway-end.ts';
import { UsageError } from '../usage-error.ts';

/** What to move, and between which gateways. */
export interface MoveOptions {
  readonly from: End;
  readonly to: End;
  readonly session: string;
}

/** What `--help` prints. */
export const USAGE = `Usage: npm run move -- --from URL --to URL --session ID

Moves a session from one gateway to another. It needs no QR there. See docs/moving.md.

  --from URL      the gateway that has it: https://…, http:// on this machine, or unix:/path
  --to URL        the gateway to move it to
  --session ID    the session

Tokens, or keys with scope manage: FROM_TOKEN and TO_TOKEN in the environment, or FROM_TOKEN_FILE and TO_TOKEN_FILE with the
path of a file whose first line is the token. Not needed if the gateway has no token.

After a failure it prints where the session is. Run it again to continue. Exit codes: 0 the session is there, 1 it is not,
2 wrong usage, 130 interrupted.
`;

/** Reads the command line; undefined for --help. Throws a UsageError. */
export function readOptions(args: readonly string[], env: Environment): MoveOptions | undefined {
  const { from, to, session, help } = parse(args);
  if (help) return undefined;
  if (from === undefined || to === undefined || session === undefined)
    throw new UsageError('--from, --to and --session are required');
  if (!v.is(sessionId, session)) throw new UsageError('--session must be 1 to 64 characters of A-Z a-z 0-9 _ -');
  const options = {
    from: endOf('from', from, 'FROM_TOKEN', env),
    to: endOf('to', to, 'TO_TOKEN', env),
    session,
  };
  if (options.from.url === options.to.url) throw new UsageError('--from and --to are the same gateway');
  return options;
}

function parse(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const;
    const options = { from: text, to: text, session: text, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
