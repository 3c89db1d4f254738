import { createClient } from '@chat-web/host';
import type { SessionView } from '@chat-web/protocol';
import type { RunOptions } from './arguments.ts';
import { askFor, type Consent, NOT_CONFIRMED } from './ask.ts';
import { DIALOG, reportContract, reportDegraded, reportLimits, reportSavedPages } from './contract.ts';
import { SessionEvents } from './events.ts';
import type { LinkedSession } from './linked.ts';
import { checkLists } from './lists.ts';
import { findGateway, type LiveGateway } from './live-gateway.ts';
import { checkGroup, checkStatusFeed } from './posts.ts';
import { checkReady, checkRestart, settledView } from './ready.ts';
import { checkPictureFromPhone, checkReceives } from './receives.ts';
import { type Report, reportEnded } from './report.ts';
import { checkSends } from './sends.ts';
import { judgeRestarts, MemoryWatch, reportMemory } from './vitals.ts';
import { interruptible } from './wait.ts';

/** Checks a linked session. Returns the version of its page. */
export async function checkAccount(report: Report, run: RunOptions, id: string): Promise<string | undefined> {
  const consent = await askFor(run.options, run.signal);
  const gateway = await findGateway(report, run);
  if (!gateway) return undefined;
  try {
    return await checkThrough(gateway, report, run, consent, id);
  } finally {
    const left = await gateway.end();
    if (gateway.isOwn) reportEnded(report, left, 'the gateway that doctor started has exited');
  }
}

async function checkThrough(
  { address, isOwn }: LiveGateway,
  report: Report,
  { options, config, signal }: RunOptions,
  consent: Consent,
  id: string,
): Promise<string | undefined> {
  const client = interruptible(createClient(address), signal);
  const ready = { client, id, signal };
  const { isReady, isStarted } = await checkReady(report, ready);
  try {
    if (!isReady) return undefined;
    if (options.peer !== undefined) await checkReady(report, { ...ready, id: options.peer });
    const before = await client.getSessionStatus({ id });
    if (!consent.restart) report.add({ check: 'restart and reload', result: 'skip', detail: NOT_CONFIRMED });
    else if (!(await checkRestart(report, ready))) return undefined;
    const memory = new MemoryWatch(ready, config.memorySoftBytes, consent.restart);
    const view = await settledView(ready);
    reportContract(report, view, { pinned: config.pageVersion, isLinked: true });
    reportSavedPages(report, config, view.pageVersion);
    reportLimits(report, view);
    await checkSession(report, { address, client, id, signal }, { options, consent });
    await reportMemory(report, consent.restart ? 'memory at ready' : 'memory now', () => memory.atReady());
    if (options.watchMs === 0) report.add({ check: 'memory later', result: 'skip', detail: 'skipped by --watch 0' });
    else await reportMemory(report, 'memory later', () => memory.after(options.watchMs));
    const after = await client.getSessionStatus({ id });
    reportEnd(report, { before, view, after }, consent.restart ? 1 : 0);
    return after.pageVersion ?? view.pageVersion;
  } finally {
    // Even if the run was interrupted. A gateway that doctor started ends its own sessions.
    if (isStarted && !isOwn) await createClient(address).stopSession({ id });
  }
}

async function checkSession(
  report: Report,
  { address, client, id, signal }: Omit<LinkedSession, 'report' | 'phone' | 'events'>,
  { options, consent }: { readonly options: RunOptions['options']; readonly consent: Consent },
): Promise<void> {
  const events = await SessionEvents.open(address, id, signal);
  try {
    const { phone, platform } = await client.getSessionInfo({ id });
    report.add({ check: 'account', result: 'ok', detail: `+${phone}, ${platform}` });
    const session: LinkedSession = { report, address, client, id, phone, events, signal };
    await checkLists(session, options.to);
    await checkTraffic(session, options, consent);
  } finally {
    events.close();
  }
}

/** All checks that other people can see, if the operator agreed to them. */
async function checkTraffic(session: LinkedSession, options: RunOptions['options'], consent: Consent): Promise<void> {
  const { report } = session;
  const { to, peer, group, status } = options;
  const leftOut = (check: string, flag: string, isRequested: boolean) =>
    report.add({ check, result: 'skip', detail: isRequested ? NOT_CONFIRMED : `pass ${flag} to check it` });
  if (to !== undefined && consent.send) await checkSends(session, to);
  else leftOut('send', '--to', to !== undefined);
  if (peer !== undefined && consent.answer) await checkReceives(session, peer);
  else if (peer === undefined && consent.isSomebodyThere) await checkPictureFromPhone(session);
  else leftOut('receive', '--peer', peer !== undefined);
  if (consent.status) await checkStatusFeed(session);
  else leftOut('status feed', '--status', status);
  if (group !== undefined && consent.group) await checkGroup(session, group);
  else leftOut('group', '--group', group !== undefined);
}

/** What changed during the run: restarts, dialogs, capabilities of the page. */
function reportEnd(
  report: Report,
  { before, view, after }: Readonly<Record<'before' | 'view' | 'after', SessionView>>,
  ownRestarts: number,
): void {
  const outcome = judgeRestarts(before, after, ownRestarts);
  report.add({ check: 'restarts', result: 'ok', ...(typeof outcome === 'string' ? { detail: outcome } : outcome) });
  const known = new Set(view.degraded?.map(({ capability }) => capability));
  const later = (after.degraded ?? []).filter(({ capability }) => !known.has(capability));
  reportDegraded(report, later);
  const hasDialog = [...(view.degraded ?? []), ...later].some(({ capability }) => capability === DIALOG);
  if (!hasDialog) report.add({ check: 'dialogs', result: 'ok', detail: 'none is open' });
  if (after.status !== 'ready') {
    const detail = `the session is ${after.status}${after.message ? `: ${after.message}` : ''}`;
    report.add({ check: 'ready at the end', result: 'fail', detail, todo: "find the cause in the gateway's log" });
  }
}
