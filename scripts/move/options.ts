import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import type { GatewayAddress } from '@chat-web/host';
import { gatewayAddress } from '@chat-web/host/node';
import { sessionId } from '@chat-web/protocol';
import * as v from 'valibot';

/** A gateway, and how people call it. */
export interface End {
  readonly url: string;
  readonly address: GatewayAddress;
}

/** What is to be moved. */
export interface MoveOptions {
  readonly from: End;
  readonly to: End;
  readonly session: string;
}

/** The command line or a token cannot be used; the message says why. */
export class UsageError extends Error {}

/** What `--help` prints. */
export const USAGE = `Usage: npm run move -- --from URL --to URL --session ID

Moves a session from one gateway to another. It needs no QR there. See docs/moving.md.

  --from URL      the gateway that has it: https://…, http:// on this machine, or unix:/path
  --to URL        the gateway that is to have it
  --session ID    the session

Tokens, or keys with scope manage: FROM_TOKEN and TO_TOKEN in the environment, or FROM_TOKEN_FILE and TO_TOKEN_FILE with the
path of a file whose first line is the token. None: the gateway asks for none.

After a failure it says where the session is. Run it again to go on. Exit codes: 0 the session is there, 1 it is not,
2 wrong usage, 130 interrupted.
`;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the command line; undefined for --help. Throws a UsageError. */
export function readOptions(args: readonly string[], env: Environment): MoveOptions | undefined {
  const { from, to, session, help } = parse(args);
  if (help) return undefined;
  if (from === undefined || to === undefined || session === undefined)
    throw new UsageError('--from, --to and --session are required');
  if (!v.is(sessionId, session)) throw new UsageError('--session must be 1 to 64 characters of A-Z a-z 0-9 _ -');
  const options = { from: endOf('from', from, env), to: endOf('to', to, env), session };
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

function endOf(flag: 'from' | 'to', written: string, env: Environment): End {
  const url = written.replace(/\/+$/, '');
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.username || parsed?.password)
    throw new UsageError(`--${flag} must not contain a user name or a password: use ${flag.toUpperCase()}_TOKEN`);
  const isSafe =
    parsed?.protocol === 'https:' ||
    parsed?.protocol === 'unix:' ||
    (parsed?.protocol === 'http:' && isLoopback(parsed.hostname));
  if (!isSafe)
    throw new UsageError(
      `--${flag} must be https://…, http:// on this machine, or unix:/path: what is moved opens the account`,
    );
  return { url, address: gatewayAddress({ url, token: tokenOf(flag, env) }) };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

function tokenOf(flag: 'from' | 'to', env: Environment): string | undefined {
  const name = `${flag.toUpperCase()}_TOKEN`;
  const path = env[`${name}_FILE`];
  if (path === undefined || path === '') return env[name]?.trim() || undefined;
  try {
    const [line = ''] = readFileSync(path, 'utf8').split('\n', 1);
    if (line.trim() !== '') return line.trim();
  } catch {
    // Told below.
  }
  throw new UsageError(`${name}_FILE names no file with a token`);
}
