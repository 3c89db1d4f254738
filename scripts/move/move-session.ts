import { setTimeout as delay } from 'node:timers/promises';
import { readAbout } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import { type ErrorCode, GatewayError, type OperationMethods, type SessionView, sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { calledAs, parsedFlags, quoted, reasonOf, UsageError } from '../command-line.ts';
import { type End, type Environment, endOf } from '../gateway-end.ts';

interface Side extends Pick<End, 'url'> {
  readonly client: OperationMethods;
}

/** The move has failed, and another attempt would fail as well; the message is for people. */
class HopelessError extends Error {}

/** After these, nothing has changed, and a retry may succeed. */
const PASSING: readonly ErrorCode[] = ['session_not_ready', 'insufficient_resources', 'shutting_down', 'rate_limited'];
/** After these, the outcome is unknown: both sides are checked. */
const UNCERTAIN: readonly ErrorCode[] = ['outcome_unknown', 'request_timeout', 'invalid_archive'];
const MAX_ATTEMPTS = 5;
const WAIT_MS = 3_000;
const READY_TIMEOUT_MS = 600_000;
const LOOK_MS = 500;
/** A gateway that is starting may not have started its sessions yet. */
const BOOT_MS = 5_000;
/** After a failure, to report where the session is. */
const LAST_LOOK_TIMEOUT_MS = 10_000;

/**
 * Moves a session. If a connection breaks, checks both sides and continues. `say` is called with each step, for people.
 * Returns true once the session is on the new gateway; otherwise false, after `say` was called with its location.
 */
export async function moveSession(
  { from: source, to: target, session: id }: MoveOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const [from, to] = [sideOf(source), sideOf(target)];
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (!(await hasArrived(from, to, id, say, signal))) await carryOver(from, to, id, say, signal);
        say(`${id}: it is on ${to.url}`);
        await untilReady(to, id, signal, 'start');
        say(`${id}: ready on ${to.url}`);
        return true;
      } catch (error) {
        signal.throwIfAborted();
        if (attempt === MAX_ATTEMPTS || !isWorthAnother(error)) throw error;
        say(`trying again after an error: ${reasonOf(error)}`);
        await delay(WAIT_MS, undefined, { signal });
      }
    }
  } catch (error) {
    say(signal.aborted ? 'interrupted' : `failed: ${reasonOf(error)}`);
    await sayWhere(from, to, id, say);
    return false;
  }
}

function sideOf({ url, address }: End): Side {
  return { url, client: createClient(address) };
}

/** The session as a gateway shows it; undefined if it is unknown there. */
export async function viewOf(
  client: OperationMethods,
  id: string,
  signal: AbortSignal,
): Promise<SessionView | undefined> {
  try {
    return await client.getSessionStatus({ id }, { signal });
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'session_not_found') return undefined;
    throw error;
  }
}

function look({ client, url }: Side, id: string, signal: AbortSignal): Promise<SessionView | undefined> {
  return viewOf(client, id, signal).catch((error: unknown) => {
    throw new Error(`${url} does not say whether it has the session: ${reasonOf(error)}`);
  });
}

/** True if the session is on the new gateway. Throws a HopelessError if it cannot be moved. */
async function hasArrived(
  from: Side,
  to: Side,
  id: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const [there, here] = [await look(from, id, signal), await look(to, id, signal)];
  const isHere = here !== undefined && here.status !== 'moved' && here.status !== 'qr';
  if (there === undefined && !isHere) throw new HopelessError(`there is no session ${id} on ${from.url}`);
  if (isHere && there !== undefined && there.status !== 'moved')
    throw new HopelessError(`session ${id} is on both gateways: delete the one that you do not want`);
  if (isHere && there !== undefined) await requireSameAccount(from, to, id, say, signal);
  return isHere;
}

/**
 * Throws a HopelessError unless the session on the new gateway belongs to the account that was moved: another account
 * may have been linked under its id before the archive arrived. Changes nothing on either side, and gives no advice
 * that would unlink the session if it is the right one.
 */
async function requireSameAccount(from: Side, to: Side, id: string, say: (line: string) => void, signal: AbortSignal) {
  say(`${id}: checking whether it is the one on ${to.url}`);
  await untilReady(to, id, signal, 'leave');
  const { wid: there } = await to.client.getSessionInfo({ id }, { signal });
  const unknown = `cannot tell whether session ${id} on ${to.url} is the one that moved from ${from.url}`;
  const compare = `compare GET /sessions/${id}/info there with the phone before you change anything`;
  const moved = await accountThatMoved(from, id, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (isWorthAnother(error)) throw new Error(`${unknown}: ${reasonOf(error)}`);
    throw new HopelessError(`${unknown} (${reasonOf(error)}): ${compare}`);
  });
  if (moved === there) return;
  // A page may name an account by its number at one time, and by its hidden id at another.
  if (kindOf(moved) !== kindOf(there)) throw new HopelessError(`${unknown}: ${compare}`);
  throw new HopelessError(
    `session ${id} on ${to.url} belongs to another account than the one that moved from ${from.url}: ${compare}; ` +
      'if it is another one, move it away and run this again, or take back the one that moved (docs/moving.md)',
  );
}

/** Its id in the archive; undefined if it is unknown. */
async function accountThatMoved({ client }: Side, id: string, signal: AbortSignal): Promise<string | undefined> {
  const { data } = await client.exportSession({ id }, { signal, retries: 0 });
  return (await readAbout(data)).wid;
}

/** Whether an account is named by its number or by its hidden id. */
function kindOf(wid: string | undefined): string | undefined {
  return wid?.split('@')[1];
}

async function carryOver(from: Side, to: Side, id: string, say: (line: string) => void, signal: AbortSignal) {
  await askFirst(to, id, signal);
  say(`${id}: stopping it on ${from.url}`);
  const { data, size, contentDigest } = await from.client.exportSession({ id }, { signal, retries: 0 });
  say(`${id}: sending ${(size / 1_024).toFixed(0)} KB to ${to.url}`);
  try {
    await to.client.importSession({ id, archive: data, contentDigest }, { signal, retries: 0 });
  } finally {
    if (!data.locked) await data.cancel().catch(() => {});
  }
}

/** Rejects if a gateway would not accept the session, before it is stopped: an empty archive changes nothing. */
export async function askFirst({ client, url }: Side, id: string, signal: AbortSignal): Promise<void> {
  try {
    await client.importSession({ id, archive: new Uint8Array() }, { signal });
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : undefined;
    if (code === 'invalid_archive') return;
    if (code !== undefined && isWorthAnother(error)) throw error;
    throw new HopelessError(`${url} does not accept the session: ${reasonOf(error)}`);
  }
}

/** `stopped`: what to report about a session that has stopped there. */
async function untilReady({ client, url }: Side, id: string, signal: AbortSignal, stopped: 'start' | 'leave') {
  const startedAt = performance.now();
  for (;;) {
    const { status, message } = await client.getSessionStatus({ id }, { signal });
    const passedMs = performance.now() - startedAt;
    const why = message === undefined ? '' : `: ${quoted(message)}`;
    if (status === 'ready') return;
    if (status === 'qr' || status === 'failed') throw new HopelessError(`session ${id} is ${status} on ${url}${why}`);
    if (status === 'stopped' && stopped === 'start') await client.startSession({ id }, { signal });
    else if (status === 'stopped' && passedMs > BOOT_MS)
      throw new HopelessError(`session ${id} is stopped on ${url}: start it there, to tell whether it is the same`);
    if (passedMs > READY_TIMEOUT_MS)
      throw new HopelessError(`session ${id} stayed ${status} on ${url} for too long${why}`);
    await delay(LOOK_MS, undefined, { signal });
  }
}

async function sayWhere(from: Side, to: Side, id: string, say: (line: string) => void): Promise<void> {
  const seen: string[] = [];
  for (const side of [from, to])
    await look(side, id, AbortSignal.timeout(LAST_LOOK_TIMEOUT_MS)).then(
      (found) => seen.push(`${side.url}: ${found?.status ?? 'unknown'}`),
      () => seen.push(`${side.url}: no answer`),
    );
  for (const line of seen) say(line);
}

function isWorthAnother(error: unknown): boolean {
  if (error instanceof HopelessError) return false;
  if (!(error instanceof GatewayError)) return true;
  return error.status === undefined || PASSING.includes(error.code) || UNCERTAIN.includes(error.code);
}

interface MoveOptions {
  readonly from: End;
  readonly to: End;
  readonly session: string;
}

export const USAGE = `Usage: ${calledAs('move')} --from URL --to URL --session ID

Moves a session from one gateway to another. It needs no QR there. See docs/moving.md.

  --from URL      the gateway that has it: https://…, http:// on this machine, or unix:/path
  --to URL        the gateway to move it to
  --session ID    the session

Tokens, or keys with scope manage: FROM_TOKEN and TO_TOKEN in the environment, or FROM_TOKEN_FILE and TO_TOKEN_FILE with the
path of a file whose first line is the token. Not needed if the gateway has no token.

After a failure it prints where the session is. Run it again to continue. Exit codes: 0 the session is there, 1 it is not,
2 wrong usage, 130 interrupted.
`;

const TEXT = { type: 'string' } as const;
const FLAGS = { from: TEXT, to: TEXT, session: TEXT, help: { type: 'boolean', short: 'h' } } as const;

/** Reads the command line; undefined for --help. Throws a UsageError. */
export function readOptions(args: readonly string[], env: Environment): MoveOptions | undefined {
  const { from, to, session, help } = parsedFlags(args, FLAGS);
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
