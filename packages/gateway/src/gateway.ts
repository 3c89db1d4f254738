import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deferred, errorText, GatewayError, type SessionView, settledWithin } from '@chat-web/protocol';
import { Access } from './access/access.ts';
import type { Audit } from './access/audit.ts';
import { EventTickets } from './access/event-tickets.ts';
import { FailureLimit } from './access/failure-limit.ts';
import { KeyFile } from './access/key-store.ts';
import { Keys } from './access/keys.ts';
import { OperatorToken } from './access/operator-token.ts';
import { Refusals } from './access/refusal.ts';
import type { Cluster } from './cluster/cluster.ts';
import { openCluster } from './cluster/open-cluster.ts';
import { type Config, pagesDirOf, version } from './config.ts';
import { ConfigError } from './config-error.ts';
import { DeliveredMessages } from './events/delivered-messages.ts';
import { EventLog } from './events/event-log.ts';
import { OpenAcks } from './events/open-acks.ts';
import { PublishedEvents } from './events/published-events.ts';
import { SessionMetadata } from './events/session-metadata.ts';
import { allHandlers } from './gateway-handlers.ts';
import { sweepAtBoot } from './host/browser-sweep.ts';
import { WORKER_FILE } from './host/browsers.ts';
import { noCgroups, openCgroups } from './host/cgroup.ts';
import { Damage } from './host/damage.ts';
import { holdDataDir } from './host/data-lock.ts';
import { requireNotWorldWritable } from './host/folder-permissions.ts';
import { ForeignProcessWatch } from './host/foreign-process-watch.ts';
import { hostShortage } from './host/host-resources.ts';
import { PrivateTmp } from './host/private-tmp.ts';
import { ProcessorLoad } from './host/processor-load.ts';
import { createApp } from './http/app.ts';
import { Calls } from './http/calls.ts';
import { forwardedConnections, hasHop } from './http/forwarding.ts';
import { Listeners } from './http/server/listeners.ts';
import { Journal } from './journal/journal.ts';
import type { Log } from './log.ts';
import { Spool } from './media/spool.ts';
import { HostHistory } from './monitoring/host-history.ts';
import { levelsOf } from './monitoring/levels.ts';
import { Metrics } from './monitoring/metrics.ts';
import { clusterSessions } from './moving/cluster-sessions.ts';
import { Mover } from './moving/mover.ts';
import { checkPeriodically } from './periodic-checks.ts';
import { Idempotency } from './sends/idempotency.ts';
import { KnownPeople } from './sends/known-people.ts';
import { Pacing } from './sends/pacing.ts';
import { SentKeys } from './sends/sent-keys.ts';
import type { ServiceState } from './service-notifier.ts';
import { DiskWatch } from './sessions/disk-watch.ts';
import { HostFault } from './sessions/host-fault.ts';
import { Lineages } from './sessions/lineages.ts';
import { MemoryGuard } from './sessions/memory-guard.ts';
import { PageHistory } from './sessions/page-history.ts';
import { readPinnedPage } from './sessions/pinned-page.ts';
import { ProxyCheck } from './sessions/proxy-check.ts';
import { SavedSessions } from './sessions/saved-sessions.ts';
import type { Session } from './sessions/session.ts';
import { SessionSettings } from './sessions/session-settings.ts';
import { countsByStatus, summaryOf, viewOf } from './sessions/session-view.ts';
import { StartQueue } from './sessions/start-queue.ts';
import { Supervisor } from './sessions/supervisor.ts';
import { WebhookFile } from './webhooks/webhook-file.ts';
import { WebhookProgress } from './webhooks/webhook-progress.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** Before a session is moved to another host: for the calls in progress. New ones wait. */
const CALLS_END_MS = 3_000;

/** Without the database, what they would store has to wait for another gateway. */
const WEBHOOKS_END_MS = 2_000;

const KILL_MS = 3_000;

export interface Gateway extends ServiceState {
  /** The URL over TCP; without TCP, `unix:` and the path of the socket. */
  readonly url: string;
  /** False if no token is set: then every request is accepted. */
  readonly asksForToken: boolean;
  /** Called on SIGHUP. None of them rejects. */
  readonly reloads: readonly (() => Promise<void>)[];
  /** Resolves if this gateway has lost its data folder, and its browsers are killed: then this process must exit. */
  readonly displaced: Promise<void>;
  /** Waits for requests in progress unless `skipWaiting` aborts, then closes streams, workers and servers. Keeps auth. */
  close(skipWaiting: AbortSignal): Promise<void>;
}

/**
 * Assembles and starts the gateway. Rejects if an address, the data folder or a setting cannot be used.
 * `workerProgram`: the worker's entry point by session id, for tests. `onWaiting`: called every few seconds while another
 * gateway may still use the data folder.
 */
export async function startGateway(
  config: Config,
  log: Log,
  audit: Audit,
  { workerProgram = (_: string) => WORKER_FILE, onWaiting = () => {} } = {},
): Promise<Gateway> {
  const token = await OperatorToken.load(config, log);
  const storage = await openStorage(config, log, onWaiting);
  const { journal, events, saved, spool, tmp, pageHistory, damage, cluster } = storage;
  await cluster.claim(journal);
  const sessions = await createSessions(config, log, storage, workerProgram);
  const server = await openServer(config, log, { audit, token, storage, sessions });

  const { supervisor, foreignProcesses, mover } = sessions;
  const { access, webhooks, listeners } = server;
  journal.onResumed(() => {
    for (const [id, since] of events.resume()) supervisor.session(id)?.recoverMessages(since);
  });
  // First, even if no session starts: leftover browsers may use what is wiped or started next.
  const left = await sweepAtBoot(saved.sessionsDir);
  foreignProcesses.scanSoon();
  if (left > 0) log.warn({ browsers: left }, 'leftover browsers killed');
  await Promise.all([saved.load(log), spool.clear(), tmp.clear(log), pageHistory.load()]);
  await mover.clear();
  for (const id of [...storage.folds.metadata.sessions()])
    if (!saved.has(id)) events.setMetadata(id, {}).catch(() => {}); // Of a session that was never linked.
  await storage.settings.retain((id) => saved.has(id));
  await damage.count(); // By now, all folders are in place.
  const displaced = deferred();
  const about = () => {
    const { memoryAvailableBytes, diskFreeBytes } = server.hostHistory.view.samples.at(-1) ?? {};
    return { version: version(), sessions: countsByStatus(supervisor.list()), memoryAvailableBytes, diskFreeBytes };
  };
  const foreign = await cluster.begin({
    address: config.clusterAddress ?? server.listeners.url,
    about,
    sessions: clusterSessions({ supervisor, saved, lineages: storage.lineages, mover }),
    onHostLost: (views) => {
      for (const view of views) {
        const { id, reason = 'HOST_LOST', message = '' } = view;
        events.publish(id, { name: 'disconnected', data: { reason, message } });
        publishStatus(events, view);
      }
    },
    onFound: () => {
      for (const view of supervisor.list().map(viewOf)) publishStatus(events, view);
    },
    onFolderLost: (why) => {
      log.error({ why }, 'all browsers killed');
      void killAll(supervisor.all(), saved.sessionsDir).finally(displaced.resolve);
    },
  });
  for (const id of foreign)
    if (!storage.lineages.movedAt(id)) log.error({ session: id }, 'session belongs to another host');
  server.open();
  if (cluster.isAlone) await webhooks.start();
  if (config.autoStartSessions) supervisor.startSaved(foreign);
  const closing = new AbortController();
  checkPeriodically<Session>([...sessions.watches, server.hostHistory], () => supervisor.all(), closing.signal, log);

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
    displaced: displaced.promise,
    close: async (skipWaiting) => {
      closing.abort();
      if (server.shared) {
        await settledWithin(webhooks.close(), WEBHOOKS_END_MS);
        await settledWithin(server.shared.leave(), WEBHOOKS_END_MS);
      }
      await listeners.close(async () => {
        await supervisor.drain(skipWaiting, () => server.calls.forwarded);
        await supervisor.close();
        await pageHistory.flush();
        if (cluster.isAlone) await webhooks.close();
        await journal.close();
      });
      await cluster.release();
      await storage.release();
    },
  };
}

/** Without their data folder, which may not answer, or may be used elsewhere: nothing is saved. */
async function killAll(sessions: readonly Session[], sessionsDir: string): Promise<void> {
  for (const session of sessions) session.kill();
  await settledWithin(sweepAtBoot(sessionsDir), KILL_MS);
}

type Storage = Awaited<ReturnType<typeof openStorage>>;
type Sessions = Awaited<ReturnType<typeof createSessions>>;

/** What is on disk. `release` releases the data folder. */
async function openStorage(config: Config, log: Log, onWaiting: () => void) {
  const { dataDir, pageDir } = config;
  const saved = new SavedSessions(dataDir, pagesDirOf(config));
  // A user who can write a page can run code in every account.
  if (pageDir !== undefined) await requireNotWorldWritable('CHAT_WEB_PAGE_DIR', pageDir, log);
  const pinnedPage =
    config.pageVersion === undefined
      ? undefined
      : await readPinnedPage(saved.pagesDir, config.pageVersion).catch((error: unknown) => {
          throw new ConfigError([`CHAT_WEB_PAGE_VERSION ${errorText(error)}`]);
        });
  const release = await holdDataDir(dataDir, log);
  const cluster = await openCluster(config, log);
  await cluster.waitForFolder(onWaiting);
  const damage = new Damage(dataDir, log);
  await damage.count();
  const settings = await SessionSettings.load(join(dataDir, 'session-settings.json'));
  const lineages = new Lineages(join(dataDir, 'moves'), log);
  await lineages.load((id) => existsSync(saved.dirOf(id)));
  const folds = {
    delivered: new DeliveredMessages(),
    openAcks: new OpenAcks(),
    published: new PublishedEvents(),
    metadata: new SessionMetadata(),
    sentKeys: new SentKeys(),
    webhookProgress: new WebhookProgress(),
  };
  const people = new KnownPeople();
  const limits = { maxBytes: config.journalMaxBytes, maxAgeMs: config.journalMaxAgeMs };
  const journal = await Journal.open({
    dir: join(dataDir, 'journal'),
    folds: [...Object.values(folds), ...(config.maxNewChatsPerDay > 0 ? [people] : [])],
    log,
    damage,
    ...limits,
  });
  return {
    cluster,
    saved,
    damage,
    pinnedPage,
    release,
    lineages,
    settings,
    folds,
    people,
    journal,
    events: new EventLog(journal, folds, limits, log),
    pageHistory: new PageHistory(join(saved.pagesDir, 'history.json'), log),
    spool: new Spool(dataDir, config, log),
    tmp: new PrivateTmp(dataDir),
  };
}

/** The sessions, and what watches, paces and moves them. */
async function createSessions(
  config: Config,
  log: Log,
  { saved, pinnedPage, lineages, settings, folds, people, journal, events, pageHistory, spool, tmp, cluster }: Storage,
  workerProgram: (id: string) => string,
) {
  const startQueue = new StartQueue(config.startConcurrency, new ProcessorLoad());
  const foreignProcesses = new ForeignProcessWatch(saved.sessionsDir, log);
  const supervisor = new Supervisor({
    config,
    spool,
    tmp,
    foreignProcesses,
    saved,
    lineages,
    pageHistory,
    pinnedPage,
    workerProgram,
    cgroups: config.cgroups ? await openCgroups(log) : noCgroups,
    numbersElsewhere: () => cluster.numbersElsewhere(),
    mayRun: (signal) => cluster.mayRun(signal),
    gatewayTimeoutMs: cluster.gatewayTimeoutMs,
    shortage: (returnedBytes) => hostShortage(config, returnedBytes),
    startQueue,
    hostFault: new HostFault(startQueue, log),
    events,
    metadata: folds.metadata,
    settings,
    proxyCheck: new ProxyCheck(config.proxyHosts),
    log,
  });
  const memoryGuard = new MemoryGuard(config, supervisor, log);
  const mover = new Mover({
    config,
    supervisor,
    saved,
    lineages,
    events,
    journal,
    shortage: () => hostShortage(config),
    states: {
      folds: [folds.delivered, folds.openAcks, folds.published, folds.metadata, folds.sentKeys, people],
      others: [memoryGuard, settings],
    },
    version: version(),
    log,
  });
  return {
    supervisor,
    startQueue,
    foreignProcesses,
    pacing: new Pacing({ limits: config, people, journal: events.requests, sessions: supervisor }),
    mover,
    watches: [memoryGuard, new DiskWatch(saved, log)],
  };
}

function publishStatus(events: EventLog, { id, status, reason, message, restarts }: SessionView): void {
  events.publish(id, { name: 'status', data: { status, restarts, reason, message } });
}

function foreignMetadata(cluster: Cluster, session: string): string | undefined {
  const metadata = cluster.foreignView(session)?.metadata;
  return metadata && JSON.stringify(metadata);
}

interface ServerDependencies {
  readonly audit: Audit;
  readonly token: OperatorToken | undefined;
  readonly storage: Storage;
  readonly sessions: Sessions;
}

/** What others see: the listeners, where requests wait for `open`, the webhooks, and the metrics. */
async function openServer(config: Config, log: Log, { audit, token, storage, sessions }: ServerDependencies) {
  const { journal, events, folds, spool, damage, cluster } = storage;
  const { supervisor, startQueue, pacing, mover } = sessions;
  const keyFile = join(config.dataDir, 'keys.json');
  const keys = await Keys.load(cluster.keyStore(keyFile) ?? new KeyFile(keyFile), log);
  const access = new Access(token, keys, new FailureLimit(config.authFailuresPerMinute));
  if (!access.asksForToken && keys.count > 0)
    log.warn({ hint: 'without CHAT_WEB_TOKEN every request is accepted: set it' }, 'keys ignored');
  const webhookFile = new WebhookFile({
    path: join(config.dataDir, 'webhooks.json'),
    progress: folds.webhookProgress,
    damage,
    append: (...asked) => events.requests.append(...asked),
  });
  const shared = cluster.webhooks(webhookFile);
  const webhooks = new Webhooks({
    store: shared?.store ?? webhookFile,
    events: shared?.events ?? events,
    config,
    keys,
    log,
    asksForToken: access.asksForToken,
    version: version(),
  });
  if (shared) shared.deliverBy(webhooks);
  else await webhooks.load();
  const tickets = new EventTickets();
  const refusals = new Refusals(log);
  const levels = levelsOf({ supervisor, startQueue, spool, events, journal, cluster });
  const hostHistory = new HostHistory(config.dataDir, levels);
  const metrics = new Metrics({ supervisor, levels, refusals, events, journal, pacing, webhooks, mover, damage });
  const calls = new Calls();
  const metadataOf = (session: string) => folds.metadata.textOf(session) ?? foreignMetadata(cluster, session);
  const { agentRoute } = config.mcp ? await import('./mcp/agent-route.ts') : {};
  const app = createApp({
    agents: agentRoute && ((own, admission) => agentRoute({ own, admission, spool, version: version(), log })),
    calls,
    departure: async (id, confirm) => {
      await calls.settled(id, CALLS_END_MS);
      return mover.export(id, {}, async () => {
        // What the session reports at its new host comes after what it has reported here.
        if (!(await cluster.shipped()))
          throw new GatewayError('engine_unavailable', 'the last events of the session are not in the database');
        await confirm();
      });
    },
    config,
    access,
    tickets,
    refusals,
    audit,
    cluster,
    supervisor,
    events,
    source: cluster.events({ metadataOf, gaps: events.gaps }) ?? events,
    spool,
    damage,
    metrics,
    log,
    idempotency: new Idempotency(events.requests, folds.sentKeys, folds.published),
    handlers: allHandlers({ config, supervisor, keys, tickets, webhooks, mover, hostHistory, cluster, pacing }),
  });
  const opened = deferred();
  // Requests wait for a microtask also afterwards: see `createApp`.
  const listeners = await Listeners.open(config, {
    fetch: (request, env) => opened.promise.then(() => app.fetch(request, env)),
    log,
    otherFiles: () => supervisor.openFiles + spool.openFiles + webhooks.openFiles + forwardedConnections(),
    asksForBody: hasHop,
  });
  metrics.watchConnections(listeners.connections);
  return { access, webhooks, shared, hostHistory, listeners, calls, open: opened.resolve };
}
