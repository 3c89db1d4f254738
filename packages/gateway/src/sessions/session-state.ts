import {
  type Cause,
  causeText,
  type EventData,
  type PairingCode,
  type PasskeyStep,
  type Reason,
  reasons,
  type SessionEvent,
  type SessionInfo,
  type WorkerEvent,
} from '@chat-web/protocol';
import type { Config } from '../config.ts';
import {
  afterFailure,
  HEALTHY,
  MAX_TAKE_OVERS,
  RECOVERED_AFTER_MS,
  REFUSED_DELAY_MS,
  type RestartHistory,
  restartDelay,
  takeOverDelay,
  UNSUPPORTED_DELAY_MS,
  withJitter,
} from './restart-policy.ts';

/**
 * The phase of a session, as the API shows it.
 *
 * - `stopped`: nothing runs. With saved auth it is still listed; without, it is unknown. `cause`: if it was not
 *   requested.
 * - `starting`: its worker and browser are booting, or queued; `cause`: if an earlier attempt failed.
 * - `qr`: the page can be linked, by its `qr`, or by a `code` that its owner types into the phone. `cause`: what else it
 *   asks for. If none is present, another QR or code follows.
 * - `authenticating`: the account is linked, and the page is loading it.
 * - `ready`: messages are sent and received.
 * - `disconnected`: it was up, and the gateway is recovering it.
 * - `failed`: the gateway has given up; only a start through the API leaves this phase.
 * - `moved`: it runs on another gateway. Only a request to take it back starts it here.
 */
export type Phase =
  | { readonly status: 'stopped'; readonly cause?: Cause | undefined }
  | { readonly status: 'starting'; readonly cause?: Cause | undefined }
  | {
      readonly status: 'qr';
      readonly qr?: string | undefined;
      readonly code?: PairingCode | undefined;
      readonly cause?: Cause | undefined;
    }
  | { readonly status: 'authenticating' }
  | { readonly status: 'ready'; readonly info: SessionInfo }
  | { readonly status: 'disconnected'; readonly cause: Cause }
  | { readonly status: 'failed'; readonly cause: Cause }
  | { readonly status: 'moved'; readonly cause: Cause };

/** A pending timer. The session resets its timer whenever this object changes. */
interface Wait {
  readonly ms: number;
  readonly until: Date;
}

/** The waits of a session; `<name>_due` is the event at their end. */
export const WAITS = ['retry', 'scan', 'reconnect'] as const;

/**
 * Everything that decides what a session does next. Times are of the monotonic clock, in milliseconds, unless they are
 * dates.
 */
export interface SessionState {
  readonly phase: Phase;
  readonly since: Date;
  /** The message of the last `disconnected` event since it was ready, showed a QR or was started. */
  readonly reportedLoss: string | undefined;
  /** How often it was restarted since the gateway started, by reason. */
  readonly restarts: Readonly<Partial<Record<Reason, number>>>;
  readonly failures: RestartHistory;
  /** When it last became ready, if it has not failed since. */
  readonly readyAt: number | undefined;
  /** When a run last ended because its sends were not confirmed. */
  readonly muteAt: number | undefined;
  /** When the account was last taken back from another use, oldest first. */
  readonly takeOvers: readonly number[];
  /** When the account was linked, until that is saved. */
  readonly linkedAt: Date | undefined;
  /** The number, in digits, whose owner got a pairing code and may be linking the session, or has linked it. */
  readonly linkingNumber: string | undefined;
  /** Why the run is being ended, if that was not requested: its reports are ignored meanwhile. */
  readonly ending: RunFailure | 'unlinked' | undefined;
  readonly retry: (Wait & { readonly reason: Reason }) | undefined;
  /** The deadline for linking the account: counted from the first QR, even across crashes. */
  readonly scan: Wait | undefined;
  /** The deadline for the page to reconnect, or the time at which the account is taken back. */
  readonly reconnect: Wait | undefined;
}

export interface RunFailure {
  readonly cause: Cause;
  /** Another run may succeed. */
  readonly retry: boolean;
  /** It had shown a QR or become ready. */
  readonly wasUp: boolean;
}

export type Report =
  | Extract<
      WorkerEvent,
      {
        readonly name:
          | 'qr'
          | 'qr_void'
          | 'pairing_code'
          | 'account'
          | 'passkey'
          | 'authenticating'
          | 'ready'
          | 'connection_lost'
          | 'unlinked';
      }
    >
  | { readonly name: 'run_failed'; readonly failure: RunFailure };

/** What can happen to a session: requests, completed effects, reports of its run, and waits that have ended. */
export type StateEvent =
  | { readonly name: 'start'; readonly byHand: boolean }
  | { readonly name: 'restart'; readonly reason: 'REQUESTED' | 'RECYCLED' }
  | { readonly name: 'stop'; readonly unlink: boolean; readonly timeoutMs: number }
  /** Unlinks it from the phone; only while it is ready. */
  | { readonly name: 'logout' }
  /** It is stopped, and its archive may leave now. */
  | { readonly name: 'moved' }
  /** It was imported, or taken back: it may be started. */
  | { readonly name: 'arrived' }
  | { readonly name: 'run_ended' }
  /** An effect failed, as on a full disk. */
  | { readonly name: 'effects_failed'; readonly detail: string }
  | { readonly name: 'reported'; readonly report: Report }
  | { readonly name: `${(typeof WAITS)[number]}_due` };

/** What to do next. An effect that finds nothing to end or to wipe does nothing. */
export type Effect =
  /** The failure comes back as a report. */
  | { readonly type: 'fail_run'; readonly cause: Cause }
  | { readonly type: 'end_run'; readonly unlink: boolean; readonly timeoutMs: number }
  /** Removes the session's folder, and its auth with it. */
  | { readonly type: 'wipe' }
  | { readonly type: 'start_run'; readonly byHand: boolean };

export interface Circumstances {
  /** The monotonic clock, in milliseconds. */
  readonly now: number;
  readonly date: Date;
  random(): number;
  readonly hasAuth: boolean;
  readonly config: Pick<Config, 'qrTimeoutMs' | 'reconnectTimeoutMs' | 'takeOverOnConflict'>;
}

export interface Transition {
  readonly state: SessionState;
  readonly events: readonly SessionEvent[];
  /** In order of execution. */
  readonly effects: readonly Effect[];
}

/** How long a worker and its browser may take to exit before they are killed. */
export const STOP_TIMEOUT_MS = 10_000;
/** How long the network waits for a passkey that the page asks for. */
const PASSKEY_MS = 10 * 60_000;
const MAX_CODE_MS = 10 * 60_000;
/** What the owner has to do, by what the page waits for. */
const PASSKEY_STEPS: Readonly<Record<PasskeyStep, string>> = {
  passkey: "link it on its owner's own computer with `chat-web link`, then it moves here",
  phone: 'confirm on the phone that this device is to be linked',
  code: 'compare the code on the page with the one on the phone, and confirm it on the page',
};
/** A restriction lasts for hours: a session is restarted for unconfirmed sends only once a day. */
const MUTE_MEMORY_MS = 24 * 60 * 60_000;

const END = { type: 'end_run', unlink: false, timeoutMs: STOP_TIMEOUT_MS } as const satisfies Effect;
const WIPE: Effect = { type: 'wipe' };
/** Takes precedence in the start queue. */
const START: Effect = { type: 'start_run', byHand: true };
const START_IN_TURN: Effect = { type: 'start_run', byHand: false };

const MOVED: Phase = { status: 'moved', cause: { reason: 'MOVED' } };

/** The state of a session that has not been started yet. `movedAt`: when it left for another gateway, if it has. */
export function newSession(now: Date, movedAt: Date | undefined): SessionState {
  return {
    phase: movedAt ? MOVED : { status: 'stopped' },
    since: movedAt ?? now,
    reportedLoss: undefined,
    restarts: {},
    failures: HEALTHY,
    readyAt: undefined,
    muteAt: undefined,
    takeOvers: [],
    linkedAt: undefined,
    linkingNumber: undefined,
    ending: undefined,
    retry: undefined,
    scan: undefined,
    reconnect: undefined,
  };
}

/** True while something runs for the session, or it is being recovered. */
export function isRunning({ status }: Phase): boolean {
  return status !== 'stopped' && status !== 'failed' && status !== 'moved';
}

/** True from when an account is linked until that is saved, even while a failed first sync is repeated. */
export function isBeingLinked({ phase, linkedAt }: SessionState): boolean {
  return isRunning(phase) && linkedAt !== undefined;
}

/** True if a run of the last day ended because its sends were not confirmed. */
export function wasMute({ muteAt }: SessionState, now: number): boolean {
  return muteAt !== undefined && now - muteAt < MUTE_MEMORY_MS;
}

/** The next state, the events for the streams, and the effects to execute. Pure. */
export function next(before: SessionState, event: StateEvent, about: Circumstances): Transition {
  const [after, effects] = step(before, event, about);
  if (after.phase === before.phase) return { state: after, events: [], effects };
  const since = after.phase.status === before.phase.status ? before.since : about.date;
  const loss = newLoss(before.phase, after);
  const events = loss ? [loss] : arrival(before.phase, after.phase);
  return { state: { ...after, since, reportedLoss: loss?.data.message ?? after.reportedLoss }, events, effects };
}

type Step = readonly [state: SessionState, effects: readonly Effect[]];

function step(state: SessionState, event: StateEvent, about: Circumstances): Step {
  if (event.name === 'moved') return [enter(cleared(state), MOVED), []];
  if (event.name === 'arrived')
    return [enter(unreserved({ ...cleared(state), linkedAt: undefined }, about), { status: 'stopped' }), []];
  if (state.phase.status === 'moved' && !(event.name === 'stop' && event.unlink)) return [state, []];
  if (event.name === 'start') {
    if (isRunning(state.phase)) return [state, []];
    return [enter(cleared(state), { status: 'starting' }), [END, event.byHand ? START : START_IN_TURN]];
  }
  if (event.name === 'restart') {
    // A requested restart resets all waits; an automatic one does not.
    const fresh = event.reason === 'REQUESTED' ? { ...cleared(state), scan: undefined } : state;
    return restarted(fresh, event.reason);
  }
  if (event.name === 'stop') return stopped(state, event, about);
  if (!isRunning(state.phase)) return [state, []]; // It has ended meanwhile.
  switch (event.name) {
    case 'logout':
      return state.phase.status === 'ready' ? unlinked(state, { ...END, unlink: true }) : [state, []];
    case 'reported':
      return state.ending ? [state, []] : reported(state, event.report, about);
    case 'run_ended':
      return [afterRun({ ...state, ending: undefined }, state.ending, about), []];
    case 'effects_failed':
      return [recoveryFailed(state, event.detail, about), []];
    case 'retry_due':
      return retryDue(state);
    case 'scan_due':
      if (!state.scan) return [state, []]; // It was scanned, or restarted, while this event waited for its turn.
      return stopped(state, { unlink: false, timeoutMs: STOP_TIMEOUT_MS, cause: notLinked(state.phase) }, about);
    case 'reconnect_due':
      return reconnectDue(state, about);
  }
}

function reported(state: SessionState, report: Report, about: Circumstances): Step {
  switch (report.name) {
    case 'qr':
      // The page shows a QR although it was linked: it was unlinked while it was not running.
      return about.hasAuth ? unlinked(state) : [showsQr(state, report.qr, about), []];
    case 'qr_void':
      return [state.phase.status === 'qr' ? enter(state, { status: 'qr' }) : state, []];
    case 'pairing_code':
      return [about.hasAuth ? state : hasCode(state, report, about), []];
    case 'passkey':
      return [about.hasAuth ? state : asksForPasskey(state, report.step, about), []];
    case 'account':
      return [{ ...state, linkingNumber: report.number }, []];
    case 'authenticating':
      return [authenticating(state, about), []];
    case 'ready':
      return [
        enter({ ...forgivenIfWell(state, about.now), readyAt: about.now }, { status: 'ready', info: report.info }),
        [],
      ];
    case 'connection_lost':
      return [connectionLost(state, report.pageState, about), []];
    case 'unlinked':
      return unlinked(state);
    case 'run_failed':
      return runFailed(state, report.failure, about);
  }
}

/** The only way into another phase: the waits of the old one end. */
function enter(state: SessionState, phase: Phase): SessionState {
  // A crash while the QR is shown does not restart the wait for a scan.
  const mayBeScanned = phase.status === 'qr' || phase.status === 'starting';
  // A later loss is a new one. A wipe that keeps failing reaches neither phase.
  const endsReportedLoss = phase.status === 'qr' || phase.status === 'ready';
  const reportedLoss = endsReportedLoss ? undefined : state.reportedLoss;
  return { ...state, phase, reportedLoss, reconnect: undefined, scan: mayBeScanned ? state.scan : undefined };
}

/** The run ends, or has ended, and the session will be recovered. */
function interrupted(state: SessionState, cause: Cause): SessionState {
  return enter(state, wasConnected(state.phase) ? { status: 'disconnected', cause } : { status: 'starting', cause });
}

function wasConnected({ status }: Phase): boolean {
  return status === 'ready' || status === 'authenticating' || status === 'disconnected';
}

/** Forgets past failures, and the next attempt. */
function cleared(state: SessionState): SessionState {
  return {
    ...state,
    reportedLoss: undefined,
    failures: HEALTHY,
    readyAt: undefined,
    muteAt: undefined,
    ending: undefined,
    retry: undefined,
  };
}

/** Nothing runs now: releases the number of a pairing code, unless it has linked the account. */
function unreserved(state: SessionState, { hasAuth }: Circumstances): SessionState {
  return hasAuth || state.linkedAt !== undefined ? state : { ...state, linkingNumber: undefined };
}

function counted(state: SessionState, reason: Reason): SessionState {
  return { ...state, restarts: { ...state.restarts, [reason]: (state.restarts[reason] ?? 0) + 1 } };
}

/** Ends the run, and starts another at once. */
function restarted(state: SessionState, reason: Reason): Step {
  const isUp = isRunning(state.phase);
  const after = counted({ ...state, ending: undefined, retry: undefined }, reason);
  return [isUp ? interrupted(after, { reason }) : enter(after, { status: 'starting' }), [END, START]];
}

interface Stop {
  /** Also removes the auth, and unlinks the session from the phone if possible. */
  readonly unlink: boolean;
  readonly timeoutMs: number;
  readonly cause?: Cause;
}

/** A session that was never ready leaves nothing behind. */
function stopped(state: SessionState, { unlink, timeoutMs, cause }: Stop, { hasAuth }: Circumstances): Step {
  const isWiped = unlink || !hasAuth;
  const after = enter(cleared(state), cause ? { status: 'stopped', cause } : { status: 'stopped' });
  const end: Effect = { type: 'end_run', unlink: unlink && state.phase.status === 'ready', timeoutMs };
  const wiped = { ...after, linkedAt: undefined, linkingNumber: undefined };
  return [isWiped ? wiped : after, isWiped ? [end, WIPE] : [end]];
}

/** The pairing that seemed to have begun has failed. */
function showsQr(state: SessionState, qr: string, about: Circumstances): SessionState {
  const scan = state.scan ?? waitOf(about.config.qrTimeoutMs, about);
  return enter({ ...state, linkedAt: undefined, linkingNumber: undefined, scan }, { status: 'qr', qr });
}

/** The session stays up for as long as the code is valid. */
function hasCode(
  state: SessionState,
  { number, code, expiresAt }: Extract<Report, { readonly name: 'pairing_code' }>,
  about: Circumstances,
): SessionState {
  // The time is from the worker, and so may be arbitrary.
  const validMs = Math.max(0, Math.min(MAX_CODE_MS, Date.parse(expiresAt) - about.date.getTime())) || 0;
  const scan = atLeast(validMs, state.scan ?? waitOf(about.config.qrTimeoutMs, about), about);
  const after = { ...state, linkedAt: undefined, linkingNumber: number, scan };
  return enter(after, { status: 'qr', code: { code, expiresAt } });
}

/** The QR was scanned, or the code typed. The owner of the passkey gets the time that the network allows. */
function asksForPasskey(state: SessionState, step: PasskeyStep, about: Circumstances): SessionState {
  const cause: Cause = { reason: 'PASSKEY_REQUIRED', detail: PASSKEY_STEPS[step] };
  const isRepeated = causeOf(state.phase)?.reason === cause.reason;
  const scan = isRepeated ? state.scan : atLeast(PASSKEY_MS, state.scan, about);
  return enter({ ...state, linkedAt: undefined, scan }, { status: 'qr', cause });
}

/** Why a session that was not linked in time is stopped. */
function notLinked(phase: Phase): Cause {
  const needsPasskey = causeOf(phase)?.reason === 'PASSKEY_REQUIRED';
  return needsPasskey ? { reason: 'QR_TIMEOUT', detail: reasons.PASSKEY_REQUIRED } : { reason: 'QR_TIMEOUT' };
}

/** The account is linked and its first sync begins, or continues in another run: the first time counts as the link. */
function authenticating(state: SessionState, { hasAuth, date }: Circumstances): SessionState {
  const after = hasAuth ? state : { ...state, linkedAt: state.linkedAt ?? date };
  return state.phase.status === 'ready' ? after : enter(after, { status: 'authenticating' });
}

/** Resets the failures once the session has been ready for long enough. */
function forgivenIfWell(state: SessionState, now: number): SessionState {
  const isHealthy = state.readyAt !== undefined && now - state.readyAt >= RECOVERED_AFTER_MS;
  return isHealthy ? { ...state, failures: HEALTHY } : state;
}

/** The page is alive, and tries to reconnect by itself. */
function connectionLost(state: SessionState, pageState: string, about: Circumstances): SessionState {
  if (!wasConnected(state.phase)) return state;
  const { reconnectTimeoutMs, takeOverOnConflict } = about.config;
  if (pageState !== 'CONFLICT') {
    const after = enter(state, { status: 'disconnected', cause: { reason: 'CONNECTION_LOST', detail: pageState } });
    return { ...after, reconnect: waitOf(reconnectTimeoutMs, about) };
  }
  const after = enter(state, { status: 'disconnected', cause: { reason: 'CONFLICT' } });
  // Otherwise the account is left to the other use: a restart would compete for it.
  return takeOverOnConflict ? { ...after, reconnect: waitOf(takeOverDelay(state.takeOvers, about.now), about) } : after;
}

function reconnectDue(state: SessionState, { config, now }: Circumstances): Step {
  const { phase } = state;
  if (phase.status !== 'disconnected' || !state.reconnect) return [state, []];
  if (phase.cause.reason === 'CONFLICT')
    return restarted({ ...state, takeOvers: [...state.takeOvers, now].slice(-MAX_TAKE_OVERS) }, 'CONFLICT');
  const detail = `${phase.cause.detail}, and did not reconnect within ${config.reconnectTimeoutMs / 1_000} s`;
  return [{ ...state, reconnect: undefined }, [{ type: 'fail_run', cause: { reason: 'CONNECTION_LOST', detail } }]];
}

/** The auth is invalid: ends the browser, removes the profile, and requests a new QR. */
function unlinked(state: SessionState, end: Effect = END): Step {
  // The next link may be of another account.
  const noAccount = { linkedAt: undefined, linkingNumber: undefined, muteAt: undefined };
  const after = counted({ ...state, ...noAccount, ending: 'unlinked' }, 'LOGOUT');
  return [enter(after, { status: 'disconnected', cause: { reason: 'LOGOUT' } }), [end, WIPE, START]];
}

/** A run failed. It is ended first; `afterRun` decides what follows. */
function runFailed(state: SessionState, failure: RunFailure, { config }: Circumstances): Step {
  const { phase } = state;
  // A restart would take the account back from the other use.
  const isTaken = phase.status === 'disconnected' && phase.cause.reason === 'CONFLICT' && !config.takeOverOnConflict;
  if (isTaken) {
    const cause: Cause = { reason: 'CONFLICT', detail: `not restarted, although ${causeText(failure.cause)}` };
    return [{ ...state, ending: { ...failure, cause, retry: false } }, [END]];
  }
  return [{ ...interrupted(state, failure.cause), ending: failure }, [END]];
}

/** Another run follows after a delay, unless that would not help. */
function afterRun(before: SessionState, ending: SessionState['ending'], about: Circumstances): SessionState {
  if (ending === undefined || ending === 'unlinked') return before;
  const { cause, retry, wasUp } = ending;
  if (!retry) return enter(unreserved(before, about), { status: 'failed', cause });
  const state = { ...forgivenIfWell(before, about.now), readyAt: undefined };
  const after = (ms: number) => retrying(state, cause.reason, withJitter(ms, about.random), about);
  if (cause.reason === 'START_REFUSED') return after(REFUSED_DELAY_MS);
  if (cause.reason === 'PAGE_UNSUPPORTED') return after(UNSUPPORTED_DELAY_MS);
  const failures = afterFailure(state.failures, { at: about.now, wasUp });
  const muteAt = cause.reason === 'PAGE_MUTE' ? about.now : state.muteAt;
  return retrying({ ...state, failures, muteAt }, cause.reason, restartDelay(failures, about.random), about);
}

/** Nothing runs, and the next step failed. */
function recoveryFailed(state: SessionState, detail: string, about: Circumstances): SessionState {
  const after = { ...interrupted(state, { reason: 'RECOVERY_FAILED', detail }), ending: undefined };
  return retrying(after, 'RECOVERY_FAILED', withJitter(REFUSED_DELAY_MS, about.random), about);
}

function retrying(state: SessionState, reason: Reason, ms: number, about: Circumstances): SessionState {
  return { ...state, retry: { ...waitOf(ms, about), reason } };
}

function retryDue(state: SessionState): Step {
  if (!state.retry) return [state, []];
  const { reason } = state.retry;
  const nothingRan = reason === 'START_REFUSED' || reason === 'RECOVERY_FAILED';
  return [{ ...(nothingRan ? state : counted(state, reason)), retry: undefined }, [END, START_IN_TURN]];
}

function waitOf(ms: number, { date }: Circumstances): Wait {
  return { ms, until: new Date(date.getTime() + ms) };
}

function atLeast(ms: number, wait: Wait | undefined, about: Circumstances): Wait {
  const other = waitOf(ms, about);
  return wait && wait.until >= other.until ? wait : other;
}

/**
 * The event for a session that is no longer ready, was unlinked or not linked in time, has moved, or has failed: once.
 */
function newLoss(
  before: Phase,
  { phase, reportedLoss }: SessionState,
): Extract<SessionEvent, { name: 'disconnected' }> | undefined {
  if (phase.status === 'qr' || phase.status === 'ready') return undefined;
  const cause = causeOf(phase) ?? { reason: 'STOPPED' };
  const isLoss =
    before.status === 'ready' ||
    phase.status === 'failed' ||
    phase.status === 'moved' ||
    cause.reason === 'LOGOUT' ||
    (phase.status === 'stopped' && phase.cause !== undefined);
  const message = causeText(cause);
  return isLoss && message !== reportedLoss
    ? { name: 'disconnected', data: { reason: cause.reason, message } }
    : undefined;
}

function arrival(before: Phase, after: Phase): SessionEvent[] {
  if (after.status === 'qr') return shownToLink(before, after);
  if (after.status !== 'ready' || before.status === 'ready') return [];
  const { pushname, wid, phone } = after.info;
  return [{ name: 'ready', data: { pushname, wid, phone } }];
}

/** A new QR or code, or a new request of the page. */
function shownToLink(before: Phase, { qr, code, cause }: Extract<Phase, { status: 'qr' }>): SessionEvent[] {
  const was = before.status === 'qr' ? before : undefined;
  if (qr !== undefined) return qr === was?.qr ? [] : [{ name: 'qr', data: qr }];
  if (code) return code.code === was?.code?.code ? [] : [{ name: 'pairing_code', data: code }];
  if (!cause || cause.detail === was?.cause?.detail) return [];
  return [{ name: 'passkey_required', data: { message: causeText(cause) } }];
}

export function causeOf(phase: Phase): Cause | undefined {
  return 'cause' in phase ? phase.cause : undefined;
}

export function statusOf({ phase, restarts, retry }: SessionState): EventData<'status'> {
  const cause = causeOf(phase);
  const status: EventData<'status'> = { status: phase.status, restarts: 0 };
  if (cause) Object.assign(status, { reason: cause.reason, message: causeText(cause) });
  for (const times of Object.values(restarts)) status.restarts += times;
  if (retry) status.nextAttemptAt = retry.until.toISOString();
  return status;
}
