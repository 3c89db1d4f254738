import type { OperationMethods, SessionView } from '@chat-web/protocol';
import type { Report } from './report.ts';
import { eventually } from './wait.ts';

/** A linked account with a long history takes minutes on a small host. */
const READY_TIMEOUT_MS = 300_000;
/** Parts of the page load late: the worker checks again every 15 s for what is missing. */
const LATE_PARTS_MS = 25_000;

export interface ReadyOptions {
  readonly client: OperationMethods;
  readonly id: string;
  readonly signal: AbortSignal;
}

export interface Readiness {
  readonly isReady: boolean;
  /** It was not running: doctor started it. */
  readonly isStarted: boolean;
}

/** Starts a session that does not run, and waits until it is ready. */
export async function checkReady(report: Report, options: ReadyOptions): Promise<Readiness> {
  const { client, id } = options;
  const known = (await client.listSessions()).sessions.find((session) => session.id === id);
  if (!known) {
    const todo = 'link it first (docs/quick-start.md), or check its name';
    report.add({ check: `session ${id}`, result: 'fail', detail: 'no such session runs or has saved auth', todo });
    return { isReady: false, isStarted: false };
  }
  if (known.status === 'ready') {
    report.add({ check: `session ${id}`, result: 'ok', detail: `ready since ${known.since}` });
    return { isReady: true, isStarted: false };
  }
  const isReady = await report.check(`session ${id}`, async () => {
    await client.startSession({ id });
    return whenReady(options, `it was ${known.status}`);
  });
  return { isReady, isStarted: known.status === 'stopped' || known.status === 'failed' };
}

/** Restarts a session, which also reloads its page, and measures the time until it is ready. */
export function checkRestart(report: Report, options: ReadyOptions): Promise<boolean> {
  return report.check('restart and reload', async () => {
    await options.client.restartSession({ id: options.id });
    return whenReady(options, 'restarted with saved auth');
  });
}

async function whenReady({ client, id, signal }: ReadyOptions, before: string) {
  const startedAt = Date.now();
  const look = async () => {
    const view = await client.getSessionStatus({ id });
    const isStill = view.status === 'starting' || view.status === 'authenticating' || view.status === 'disconnected';
    return isStill && view.nextAttemptAt === undefined && view.reason !== 'CONFLICT' ? undefined : view;
  };
  const view = await eventually(look, { timeoutMs: READY_TIMEOUT_MS, signal });
  if (view?.status === 'ready') return `${before}, and is ready`;
  const waited = Math.round((Date.now() - startedAt) / 1_000);
  const detail = `${before}, and is ${view?.status ?? 'not ready'} after ${waited} s${view?.message ? `: ${view.message}` : ''}`;
  return { result: 'fail' as const, detail, todo: todoFor(view) };
}

function todoFor(view: SessionView | undefined): string {
  if (view?.reason === 'PASSKEY_REQUIRED')
    return "the account asks for its passkey: link it on its owner's own computer (docs/quick-start.md, accounts with a passkey)";
  if (view?.status === 'qr')
    return 'the account is not linked: scan the QR (GET /sessions/<name>/qr), and run doctor again';
  if (view?.reason === 'CONFLICT') return 'it is used elsewhere with the same link: end that use, or restart it here';
  return "search the gateway's log for the session; if it persists, open an issue with the --json output";
}

/** The status of a session after its page was checked, its late parts are loaded, and its limits are read. */
export async function settledView({ client, id, signal }: ReadyOptions): Promise<SessionView> {
  const look = async () => {
    const view = await client.getSessionStatus({ id });
    return view.degraded?.length === 0 && view.limits ? view : undefined;
  };
  return (await eventually(look, { timeoutMs: LATE_PARTS_MS, signal })) ?? client.getSessionStatus({ id });
}
