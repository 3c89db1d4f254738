import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { calledAs, parsedFlags, UsageError } from '../command-line.ts';
import { type End, type Environment, endOf } from '../gateway-end.ts';

/** What to link, and where to move it. */
export interface LinkOptions {
  readonly gateway: End;
  readonly session: string;
  /** Where the session is stored until the gateway has it. Another run with the same arguments finds it. */
  readonly folder: string;
}

export const USAGE = `Usage: ${calledAs('link')} --gateway URL --session ID

Links an account on the computer of its owner, in a browser window, and moves the session to a gateway.

  --gateway URL   where the session will run: https://…, http:// to this computer, or unix:/path
  --session ID    its id there
  -h, --help      print this text

CHAT_WEB_TOKEN   the gateway's token, or a key with scope manage; or CHAT_WEB_TOKEN_FILE: the path of a file with it

Nothing of the session stays on this computer. If the command is interrupted, run it again: it resumes where it stopped.
Exit codes: 0 the session runs on the gateway, and nothing is left here; 1 otherwise: it prints what is
left, and what to do; 2 wrong usage, 130 interrupted.
`;

const FLAGS = {
  gateway: { type: 'string' },
  session: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the command line; undefined for --help. Throws a UsageError. */
export function readArguments(args: readonly string[], env: Environment): LinkOptions | undefined {
  const { gateway, session, help } = parsedFlags(args, FLAGS);
  if (help) return undefined;
  if (gateway === undefined || session === undefined) throw new UsageError('--gateway and --session are required');
  if (!v.is(sessionId, session)) throw new UsageError('--session must be 1 to 64 characters of A-Z a-z 0-9 _ -');
  const end = endOf('gateway', gateway, 'CHAT_WEB_TOKEN', env);
  return { gateway: end, session, folder: folderOf(end.url, session, env) };
}

function folderOf(url: string, session: string, env: Environment): string {
  // Short: socket paths in it have at most 103 bytes on macOS.
  const place = createHash('sha256').update(`${session} ${url}`).digest('hex').slice(0, 16);
  return join(stateFolder(env), 'chat-web', 'links', place);
}

function stateFolder(env: Environment): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
}
