import type { Config } from '@chat-web/gateway/tools';
import { groupId, personId, sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { calledAs, parsedFlags, UsageError } from '../command-line.ts';

export interface DoctorOptions {
  /** The linked session to check; absent: only machine and login page. */
  readonly session: string | undefined;
  /** A second linked session of the same gateway, which sends to the first. */
  readonly peer: string | undefined;
  /** The recipient of test messages, as digits. */
  readonly to: string | undefined;
  readonly group: string | undefined;
  /** Post to the status feed, and delete the posts. */
  readonly status: boolean;
  /** Where the gateway runs; absent: where the settings say. */
  readonly gateway: string | undefined;
  readonly watchMs: number;
  readonly quick: boolean;
  /** Ask nothing: do everything that was requested. */
  readonly yes: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

export const USAGE = `Usage: ${calledAs('doctor')} [--session NAME [--to +NUMBER] [--peer NAME] [--status] [--group ID]] [--yes] [--json]

Without --session: checks this machine, and the login page in a browser. No account is needed.
With --session: checks a linked session of the running gateway, or starts a gateway on CHAT_WEB_DATA_DIR.
Settings are read from the environment, as the gateway reads them.

  --session NAME    the linked session
  --to +NUMBER      send a message of each kind to this number
  --peer NAME       a second linked session, which sends a message of each kind to the first
  --status          post to the status feed, and delete the posts
  --group ID        send a text to this group (<id>@g.us), and delete it
  --gateway URL     where the gateway runs (CHAT_WEB_HOST and CHAT_WEB_PORT); token: CHAT_WEB_TOKEN
  --watch MINUTES   how long to watch the memory of the session (1)
  --quick           do not wait for a second QR
  --yes             do not ask for confirmation
  --json            print one JSON object
  --help            print this text

Doctor asks before it does what others can see, or what interrupts the account; without a terminal it skips these checks
unless --yes is given. Exit codes: 0 works, 1 something failed, 2 wrong usage, 130 interrupted.
`;

const MAX_WATCH_MINUTES = 1_440;
const MINUTE_MS = 60_000;
const NEEDS_SESSION = ['to', 'peer', 'status', 'group', 'gateway', 'watch'] as const;

const TEXT = { type: 'string' } as const;
const SWITCH = { type: 'boolean', default: false } as const;
const FLAGS = {
  session: TEXT,
  peer: TEXT,
  to: TEXT,
  group: TEXT,
  status: SWITCH,
  gateway: TEXT,
  watch: TEXT,
  quick: SWITCH,
  yes: SWITCH,
  json: SWITCH,
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

/** Reads the command line. Throws a UsageError. */
export function readArguments(args: readonly string[]): DoctorOptions {
  const given = parsedFlags(args, FLAGS);
  const flag = NEEDS_SESSION.find((name) => given[name]);
  if (flag && !given.session) throw new UsageError(`--${flag} needs --session`);
  if (given.peer !== undefined && given.peer === given.session)
    throw new UsageError('--peer must be a different session from --session');
  const minutes = given.watch === undefined ? 1 : Number(given.watch || Number.NaN);
  if (!(minutes >= 0 && minutes <= MAX_WATCH_MINUTES))
    throw new UsageError(`--watch must be a number of minutes from 0 to ${MAX_WATCH_MINUTES}`);
  if (given.gateway !== undefined && !/^https?:\/\//.test(given.gateway))
    throw new UsageError('--gateway must be an http or https URL');
  return {
    session: checked('--session', sessionId, given.session),
    peer: checked('--peer', sessionId, given.peer),
    to: checked('--to', personId, given.to)?.replace(/@.*/, ''),
    group: checked('--group', groupId, given.group),
    status: given.status,
    gateway: given.gateway,
    watchMs: minutes * MINUTE_MS,
    quick: given.quick,
    yes: given.yes,
    json: given.json,
    help: given.help,
  };
}

function checked(flag: string, schema: typeof sessionId | typeof personId | typeof groupId, value: string | undefined) {
  if (value === undefined) return undefined;
  const parsed = v.safeParse(schema, value);
  if (!parsed.success) throw new UsageError(`${flag} ${parsed.issues[0].message}`);
  return parsed.output;
}

export interface RunOptions {
  readonly options: DoctorOptions;
  /** The gateway's settings from this environment. */
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the run: everything that it started is stopped, and nothing more is checked. */
  readonly signal: AbortSignal;
}
