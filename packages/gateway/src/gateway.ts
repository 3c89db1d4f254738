import { join } from 'node:path';
import {
  errorText,
  type OperationName,
  type SendAttempt,
  type WorkerOperationName,
  workerOperations,
} from '@chat-web/protocol';
import { Access } from './access/access.ts';
import type { Audit } from './access/audit.ts';
import type { Caller } from './access/caller.ts';
import { FailureLimit } from './access/failure-limit.ts';
import { Keys } from './access/keys.ts';
import { OperatorToken } from './access/operator-token.ts';
import { Refusals } from './access/refusals.ts';
import { type Config, pagesDirOf, version } from './config.ts';
import { ConfigError } from './config-error.ts';
import { holdDataDir } from './data-lock.ts';
import { DeliveredMessages } from './events/delivered-messages.ts';
import { EventLog } from './events/event-log.ts';
import { OpenAcks } from './events/open-acks.ts';
import { PublishedEvents } from './events/published-events.ts';
import { gatewayHandlers, type HandlerParts } from './gateway-handlers.ts';
import { sweepAtBoot } from './host/browser-sweep.ts';
import { noCgroups, openCgroups } from './host/cgroup.ts';
import { requireNotWorldWritable } from './host/folder-permissions.ts';
import { ForeignProcessWatch } from './host/foreign-process-watch.ts';
import { HostHistory } from './host/host-history.ts';
import { HostResources } from './host/host-resources.ts';
import { PrivateTmp } from './host/private-tmp.ts';
import { ProcessorLoad } from './host/processor-load.ts';
import { WORKER_FILE } from './host/worker-file.ts';
import { createApp } from './http/app.ts';
import { Listeners } from './http/listeners.ts';
import type { AnyHandler } from './http/operation-route.ts';
import { Journal } from './journal/journal.ts';
import { levelsOf } from './levels.ts';
import type { Log } from './log.ts';
import { Spool } from './media/spool.ts';
import { Metrics } from './metrics.ts';
import { Lineages } from './moving/lineages.ts';
import { Mover } from './moving/mover.ts';
import { Idempotency } from './sends/idempotency.ts';
import { KnownPeople } from './sends/known-people.ts';
import { MovingKeys } from './sends/moving-keys.ts';
import { type PacedInput, Pacing } from './sends/pacing.ts';
import { SentKeys } from './sends/sent-keys.ts';
import type { ServiceState } from './service-notifier.ts';
import { DiskWatch } from './sessions/disk-watch.ts';
import { HostFault } from './sessions/host-fault.ts';
import { MemoryGuard } from './sessions/memory-guard.ts';
import { PageHistory } from './sessions/page-history.ts';
import { readPinnedPage } from './sessions/pinned-page.ts';
import { everyRound } from './sessions/rounds.ts';
import { SavedSessions } from './sessions/saved-sessions.ts';
import type { Session } from './sessions/session.ts';
import { summaryOf } from './sessions/session-view.ts';
import { StartQueue } from './sessions/start-queue.ts';
import { Supervisor } from './sessions/supervisor.ts';
import { WebhookProgress } from './webhooks/webhook-progress.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** A running gateway. */
export interface Gateway extends ServiceState {
  /** The URL over TCP; without TCP, `unix:` and the path of the socket. */
  readonly url: string;
  /** False if no token is set: then every request is accepted. */
  readonly asksForToken: boolean;
  /** Called on SIGHUP. None of them rejects. */
  readonly reloads: readonly (() => Promise<void>)[];
  /** Waits for requests in progress unless `hurry` aborts, then closes streams, workers and servers. Keeps auth. */
  close(hurry: AbortSignal): Promise<void>;
}

/**
 * Assembles and starts the gateway. Rejects if an address, the data folder or a setting cannot be used.
 * `workerProgram`: the worker's entry point by session id, for tests.
 */
export async function startGateway(
  config: Config,
  log: Log,
  audit: Audit,
  workerProgram = (_: string) => WORKER_FILE,
): Promise<Gateway> {
  const saved = new SavedSessions(config.dataDir, pagesDirOf(config));
  // A user who can write a page can run code in every account.
  if (config.pageDir !== undefined) await requireNotWorldWritable('CHAT_WEB_PAGE_DIR', config.pageDir, log);
  const pinnedPage =
    config.pageVersion === undefined
      ? undefined
      : await readPinnedPage(saved.pagesDir, config.pageVersion).catch((error: unknown) => {
          throw new ConfigError([`CHAT_WEB_PAGE_VERSION ${errorText(error)}`]);
        });
  const token = await OperatorToken.load(config, log);
  const releaseDataDir = await holdDataDir(config.dataDir, log);
  const lineages = new Lineages(join(config.dataDir, 'moves'), log);
  await lineages.load();
  const keys = await Keys.load(join(config.dataDir, 'keys.json'), log);
  const access = new Access(token, keys, new FailureLimit(config.authFailuresPerMinute));
  const refusals = new Refusals(log);
  if (!access.asksForToken && keys.count > 0)
    log.warn({ hint: 'without CHAT_WEB_TOKEN every request is accepted: set it' }, 'keys ignored');
  const spool = new Spool(config.dataDir, config, log);
  const tmp = new PrivateTmp(config.dataDir);
  const foreignProcesses = new ForeignProcessWatch(saved.sessionsDir, log);
  const pageHistory = new PageHistory(join(saved.pagesDir, 'history.json'), log);
  const load = new ProcessorLoad();
  const startQueue = new StartQueue({ slots: config.startConcurrency, idleShare: () => load.idleShare() });
  const folds = {
    ...{ delivered: new DeliveredMessages(), openAcks: new OpenAcks(), published: new PublishedEvents() },
    sentKeys: new SentKeys(),
  };
  const webhookProgress = new WebhookProgress();
  const people = new KnownPeople();
  const journalLimits = { maxBytes: config.journalMaxBytes, maxAgeMs: config.journalMaxAgeMs };
  const journal = await Journal.open({
    dir: join(config.dataDir, 'journal'),
    folds: [...Object.values(folds), webhookProgress, ...(config.maxNewChatsPerDay > 0 ? [people] : [])],
    ...journalLimits,
    log,
    onResumed: () => {
      for (const [id, since] of events.resume()) supervisor.session(id)?.recoverMessages(since);
    },
  });
  const events = new EventLog(journal, folds, journalLimits, log);
  const supervisor: Supervisor = new Supervisor({
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
    resources: new HostResources(config),
    startQueue,
    hostFault: new HostFault(startQueue, log),
    countRunning: () => supervisor.running,
    onLinked: (id, number) => supervisor.endCodesOf(number, id),
    events,
    log,
  });
  const pacing = new Pacing({
    limits: config,
    people,
    append: (record) => journal.append(record),
    refusalOf: (id) => supervisor.refusalOf(id, 'sendMessage'),
  });
  const webhooks = await Webhooks.load({
    ...{ path: join(config.dataDir, 'webhooks.json'), config, keys, events, progress: webhookProgress, log },
    asksForToken: access.asksForToken,
    append: (record) => journal.append(record),
    version: version(),
  });
  const memoryGuard = new MemoryGuard(config, log, (id) => supervisor.session(id));
  const levels = levelsOf({ supervisor, startQueue, spool, events, journal });
  const hostHistory = new HostHistory(config.dataDir, levels);
  const watches = [memoryGuard, new DiskWatch(saved, log), hostHistory];
  const mover = new Mover({
    ...{ config, supervisor, saved, lineages, events, log },
    keepers: [
      folds.delivered,
      folds.openAcks,
      folds.published,
      new MovingKeys(folds.sentKeys, journal),
      people,
      memoryGuard,
    ],
    version: version(),
  });
  const closing = new AbortController();
  const metrics = new Metrics({ supervisor, levels, refusals, events, journal, pacing, webhooks, mover });
  const app = createApp({
    ...{ config, access, refusals, audit, supervisor, events, spool, metrics, log },
    idempotency: new Idempotency(journal, folds.sentKeys),
    handlers: allHandlers({ config, supervisor, keys, webhooks, mover, hostHistory, pacing }),
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  // Early requests wait until the saved sessions are loaded; all wait for a microtask: see `createApp`.
  const listeners = await Listeners.open(config, (request, env) => opened.then(() => app.fetch(request, env)), log);
  metrics.watchConnections(listeners.connections);
  // First, even if no session starts: leftover browsers may use what is wiped or started next.
  const left = await sweepAtBoot(saved.sessionsDir);
  foreignProcesses.look();
  if (left > 0) log.warn({ browsers: left }, 'leftover browsers killed');
  await Promise.all([saved.load(log), spool.clear(), tmp.clear(log), pageHistory.load()]);
  await mover.clear();
  open();
  webhooks.start();
  if (config.autoStartSessions) supervisor.startSaved();
  everyRound<Session>(watches, () => supervisor.all(), closing.signal);

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
        await webhooks.close();
        await journal.close();
      });
      await releaseDataDir();
    },
  };
}

/** Handlers of all operations; those of workers are forwarded. */
function allHandlers(parts: HandlerParts & { readonly pacing: Pacing }): Record<OperationName, AnyHandler> {
  const { supervisor, pacing } = parts;
  const forwarded = Object.keys(workerOperations).map((name) => [
    name,
    (input: PacedInput, _: unknown, attempt?: SendAttempt) => {
      const call = () => supervisor.call(name as WorkerOperationName, input, attempt);
      return attempt?.isRepeat ? call() : pacing.carryOut(name, input, call); // A repeat was counted the first time.
    },
  ]);
  return {
    ...gatewayHandlers(parts),
    ...Object.fromEntries(forwarded),
    requestPairingCode: (input: Parameters<Supervisor['requestPairingCode']>[0], { sees }: Caller) =>
      supervisor.requestPairingCode(input, sees),
  };
}
