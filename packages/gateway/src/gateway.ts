import { join } from 'node:path';
import { errorText, type OperationName, type WorkerOperationName, workerOperations } from '@chat-web/protocol';
import { Access } from './access/access.ts';
import type { Audit } from './access/audit.ts';
import { FailureLimit } from './access/failure-limit.ts';
import { Keys } from './access/keys.ts';
import { OperatorToken } from './access/operator-token.ts';
import { Refusals } from './access/refusals.ts';
import { type Config, ConfigError, pagesDirOf } from './config.ts';
import { holdDataDir } from './data-lock.ts';
import { gatewayHandlers } from './gateway-handlers.ts';
import { sweepAtBoot } from './host/browser-sweep.ts';
import { noCgroups, openCgroups } from './host/cgroup.ts';
import { requireClosed } from './host/folder-guard.ts';
import { HostResources } from './host/host-resources.ts';
import { PrivateTmp } from './host/private-tmp.ts';
import { StrangerWatch } from './host/stranger-watch.ts';
import { WORKER_FILE } from './host/worker-file.ts';
import { createApp } from './http/app.ts';
import { Listeners } from './http/listeners.ts';
import type { AnyHandler } from './http/operation-route.ts';
import type { Log } from './log.ts';
import { Spool } from './media/spool.ts';
import { Metrics } from './metrics.ts';
import type { ServiceState } from './service-notifier.ts';
import { DiskWatch } from './sessions/disk-watch.ts';
import { HostFault } from './sessions/host-fault.ts';
import { MemoryGuard } from './sessions/memory-guard.ts';
import { PageHistory } from './sessions/page-history.ts';
import { readPinnedPage } from './sessions/pinned-page.ts';
import { everyRound } from './sessions/rounds.ts';
import { SavedSessions } from './sessions/saved-sessions.ts';
import { summaryOf } from './sessions/session-view.ts';
import { StartQueue } from './sessions/start-queue.ts';
import { Supervisor } from './sessions/supervisor.ts';

/** A gateway that runs. */
export interface Gateway extends ServiceState {
  /** Where it is reached over TCP; else `unix:` and a path. */
  readonly url: string;
  /** True unless everybody may use it. */
  readonly asksForToken: boolean;
  /** What SIGHUP reads again. None of them rejects. */
  readonly reloads: readonly (() => Promise<void>)[];
  /** Lets what is under way be done, unless there is a hurry; then ends streams, workers and the server. Auth is kept. */
  close(hurry: AbortSignal): Promise<void>;
}

/**
 * Puts the gateway together and starts it. Rejects where the address or the data folder cannot be used. `workerProgram`
 * is for tests: the file that a session's worker runs.
 */
export async function startGateway(
  config: Config,
  log: Log,
  audit: Audit,
  workerProgram = (_: string) => WORKER_FILE,
): Promise<Gateway> {
  const saved = new SavedSessions(config.dataDir, pagesDirOf(config));
  // Who can write a page can have it run in every account.
  if (config.pageDir !== undefined) await requireClosed('CHAT_WEB_PAGE_DIR', config.pageDir, log);
  const pinnedPage =
    config.pageVersion === undefined
      ? undefined
      : await readPinnedPage(saved.pagesDir, config.pageVersion).catch((error: unknown) => {
          throw new ConfigError([`CHAT_WEB_PAGE_VERSION ${errorText(error)}`]);
        });
  const token = await OperatorToken.load(config, log);
  const releaseDataDir = await holdDataDir(config.dataDir, log);
  const keys = await Keys.load(join(config.dataDir, 'keys.json'), log);
  const access = new Access(token, keys, new FailureLimit(config.authFailuresPerMinute));
  const refusals = new Refusals(log);
  if (!access.asksForToken && keys.count > 0)
    log.warn({ hint: 'without CHAT_WEB_TOKEN no key is asked for: set it' }, 'keys ignored');
  const spool = new Spool(config.dataDir, config, log);
  const tmp = new PrivateTmp(config.dataDir);
  const strangers = new StrangerWatch(saved.sessionsDir, log);
  const pageHistory = new PageHistory(join(saved.pagesDir, 'history.json'), log);
  const startQueue = new StartQueue({ slots: config.startConcurrency });
  const supervisor: Supervisor = new Supervisor({
    config,
    spool,
    tmp,
    strangers,
    saved,
    pageHistory,
    pinnedPage,
    workerProgram,
    cgroups: config.cgroups ? await openCgroups(log) : noCgroups,
    resources: new HostResources(config),
    startQueue,
    hostFault: new HostFault(startQueue, log),
    countRunning: () => supervisor.running,
    streamCount: { open: 0 },
    log,
  });
  const watches = [new MemoryGuard(config, log), new DiskWatch(saved)];
  const closing = new AbortController();
  const metrics = new Metrics({ supervisor, startQueue, spool, refusals });
  const app = createApp({
    ...{ config, access, refusals, audit, supervisor, spool, metrics, log },
    handlers: allHandlers(supervisor, keys),
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  // A request that comes at once must not meet sessions that are still being looked up.
  const listeners = await Listeners.open(config, (request, env) => opened.then(() => app.fetch(request, env)), log);
  metrics.watchConnections(listeners.connections);
  // First of all, and whether or not sessions start: what is wiped or started next must not be in use.
  const left = await sweepAtBoot(saved.sessionsDir);
  strangers.look();
  if (left > 0) log.warn({ browsers: left }, 'leftover browsers killed');
  await Promise.all([saved.load(log), spool.clear(), tmp.clear(log), pageHistory.load()]);
  open();
  if (config.autoStartSessions) supervisor.startSaved();
  // Each has rounds of its own: memory does not wait for the disk.
  for (const watch of watches)
    void everyRound(
      () => supervisor.all(),
      log,
      closing.signal,
      (session) => watch.look(session),
    );

  return {
    url: listeners.url,
    asksForToken: access.asksForToken,
    reloads: [
      ...(config.tokenFile === undefined ? [] : [async () => token?.reload()]),
      ...(config.auditFile === undefined ? [] : [async () => audit.reopen()]),
      ...(config.tls === undefined ? [] : [async () => listeners.reloadCertificate()]),
    ],
    statusText: () => summaryOf(supervisor.list()),
    isHealthy: () => supervisor.isHealthy,
    close: async (hurry) => {
      closing.abort();
      await listeners.close(async () => {
        await supervisor.drain(hurry);
        await supervisor.close();
        await pageHistory.flush();
      });
      await releaseDataDir();
    },
  };
}

/** A handler for every operation: the gateway's own, and one that forwards for each of the workers'. */
function allHandlers(supervisor: Supervisor, keys: Keys): Record<OperationName, AnyHandler> {
  const forwarded = Object.keys(workerOperations).map((name) => [
    name,
    (input: { readonly id: string }) => supervisor.call(name as WorkerOperationName, input),
  ]);
  return { ...gatewayHandlers(supervisor, keys), ...Object.fromEntries(forwarded) };
}
