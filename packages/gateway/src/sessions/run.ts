import type { ChildProcess } from 'node:child_process';
import {
  causeText,
  errorText,
  type GatewayMessage,
  HEARTBEAT_INTERVAL_MS,
  type OpenAck,
  type Reason,
  SECOND_MS,
  type SendAttempt,
  settledWithin,
  type WorkerEvent,
  type WorkerOperationName,
  type WorkerOptions,
} from '@chat-web/protocol';
import { version } from '../config.ts';
import { endBrowsersOn } from '../host/browser-sweep.ts';
import type { SessionCgroup } from '../host/cgroup.ts';
import { trimCaches } from '../host/disk.ts';
import { freeProfile } from '../host/profile-lock.ts';
import type { Log } from '../log.ts';
import { everyShared } from '../shared-interval.ts';
import { ProxyError } from './proxy-check.ts';
import type { SessionDependencies } from './session-dependencies.ts';
import type { RunFailure } from './session-state.ts';
import { SilenceWatch } from './silence-watch.ts';
import { StartDeadline } from './start-deadline.ts';
import type { Release } from './start-queue.ts';
import { WorkerLink } from './worker-link.ts';
import { exitOf, startWorker } from './worker-process.ts';

/** What a worker reports about its session; failures and progress concern only the run. */
export type RunEvent = Exclude<WorkerEvent, { readonly name: 'failed' | 'progress' }>;

/** Callbacks of a run. None is called after `end`. */
export interface RunListener {
  onEvent(event: RunEvent): void;
  /** The run failed: its calls were rejected, and it waits for `end`. Called once. */
  onFailed(failure: RunFailure): void;
}

export interface RunStart {
  /** A request waits for it: it takes precedence in the queue. */
  readonly byHand: boolean;
  /** The key with which it was requested, if so. */
  readonly owner?: string | undefined;
  /** From when on inbound messages may not have been delivered, in Unix seconds; read when the worker starts. */
  deliveredUntil(): number;
  /** Messages that were delivered without their content; read when the worker starts. */
  withoutContent(): string[];
  /** Messages whose acks may have risen; read when the worker starts. */
  openAcks(): OpenAck[];
  /** When an earlier run was linked, in Unix seconds, if the session has not been ready yet; 0 otherwise. */
  readonly linkedAt: number;
  /** An earlier run, in the last day, ended because its sends were not confirmed. */
  readonly wasMute: boolean;
}

type Past = Pick<WorkerOptions, 'deliveredUntil' | 'withoutContent' | 'openAcks' | 'linkedAt' | 'wasMute'>;

/** What is ready before the worker starts. */
interface Prepared {
  readonly proxy?: WorkerOptions['proxy'];
  /** Files in transit between gateway and worker. */
  readonly spoolDir: string;
  /** Temporary files of worker and browser; removed with the run. */
  readonly tmpDir: string;
}

/** A running worker. `exited` resolves with how it exited, once every call was rejected. */
interface Worker {
  readonly child: ChildProcess;
  readonly link: WorkerLink;
  readonly exited: Promise<string>;
}

const SLOT_TIMEOUT_MS = 60 * SECOND_MS;
const CGROUP_TIMEOUT_MS = 2 * SECOND_MS;
/** The kernel's limit backs up our own mark, and also counts the page cache. */
const KERNEL_MARGIN = 1.5;
/** How long a worker may live after its channel closed: one that exits closes it a moment before. */
const LIVES_ON_MS = 3 * SECOND_MS;
/** How long to read the channel after the exit: a child of the worker may keep it open. */
const LAST_WORDS_MS = 5 * SECOND_MS;

/**
 * One life of a session's worker: waits for its turn, prepares host and profile, starts the worker, watches it, and
 * ends it with all its processes. Reports once if it ends unasked.
 */
export class Run {
  readonly #id: string;
  readonly #dependencies: SessionDependencies;
  readonly #log: Log;
  readonly #listener: RunListener;
  readonly #ended = new AbortController();
  // Ended, not killed: killing a browser in its first sync may lose its data, and so the link.
  readonly #deadline = new StartDeadline((detail) =>
    this.fail({ cause: { reason: 'START_TIMEOUT', detail }, retry: true }),
  );
  #preparing: Promise<Prepared> | undefined;
  #worker: Worker | undefined;
  #cgroup: SessionCgroup | undefined;
  #releaseSlot: Release | undefined;
  #slotTimer: NodeJS.Timeout | undefined;
  #wasUp = false;
  #hasFailed = false;

  constructor(id: string, dependencies: SessionDependencies, log: Log, listener: RunListener) {
    this.#id = id;
    this.#dependencies = dependencies;
    this.#log = log;
    this.#listener = listener;
  }

  /** True while its worker runs and has not failed. */
  get isUp(): boolean {
    return this.#worker !== undefined && !this.#hasFailed;
  }

  get workerPid(): number | undefined {
    return this.#worker?.child.pid;
  }

  get pending(): number {
    return this.#worker?.link.pending ?? 0;
  }

  /** Waits for a slot, runs the worker, and resolves when it has exited. Never rejects. */
  async start({
    byHand,
    owner,
    deliveredUntil,
    withoutContent,
    openAcks,
    linkedAt: linkedBefore,
    wasMute,
  }: RunStart): Promise<void> {
    const { startQueue, saved, config } = this.#dependencies;
    try {
      this.#releaseSlot = await startQueue.acquire(this.#ended.signal, byHand, owner);
    } catch {
      return; // Ended while waiting.
    }
    this.#slotTimer = setTimeout(() => this.#releaseSlot?.(), SLOT_TIMEOUT_MS);
    this.#deadline.set(config.startTimeoutMs, 'the start');
    try {
      this.#preparing = this.#prepare();
      const prepared = await this.#preparing;
      if (this.#ended.signal.aborted) return; // Ended during the preparation: from here on there is a worker to end.
      const savedAt = await saved.linkedAt(this.#id);
      const linkedAt = savedAt ? savedAt.getTime() / SECOND_MS : linkedBefore;
      if (this.#ended.signal.aborted) return;
      const past = {
        deliveredUntil: deliveredUntil(),
        withoutContent: withoutContent(),
        openAcks: openAcks(),
        linkedAt,
        wasMute,
      };
      const { exited } = this.#startWorker(prepared, past);
      this.fail({ cause: { reason: 'WORKER_EXITED', detail: await exited }, retry: true });
    } catch (error) {
      const reason = error instanceof ProxyError ? 'PROXY_FAILED' : 'START_REFUSED';
      this.fail({ cause: { reason, detail: errorText(error) }, retry: true });
    } finally {
      this.#release();
    }
  }

  /** Also while it is ending. */
  killWorker(): void {
    this.#worker?.child.kill('SIGKILL');
  }

  call(operation: WorkerOperationName, input: unknown, attempt?: SendAttempt): Promise<unknown> | undefined {
    return this.#worker?.link.call(operation, input, attempt);
  }

  send(message: Extract<GatewayMessage, { type: 'report_again' | 'show_qr' }>): void {
    this.#worker?.link.send(message);
  }

  /** Fails the run: calls in progress are rejected now. */
  fail({ cause, retry }: Omit<RunFailure, 'wasUp'>): void {
    if (this.#hasFailed || this.#ended.signal.aborted) return;
    this.#hasFailed = true;
    this.#release();
    this.#worker?.link.fail(`failed (${causeText(cause)})`);
    this.#listener.onFailed({ cause, retry, wasUp: this.#wasUp });
  }

  /** Fails the run of a worker that broke a rule, and kills it. `did`: a clause that names the violation. */
  broke(did: string): void {
    this.#kill('WORKER_PROTOCOL_ERROR', `it ${did}`);
  }

  /**
   * Ends the run; resolves when the worker and its browser have exited. Never rejects: cleanup failures are logged, and
   * left to the next start.
   */
  async end(unlink: boolean, timeoutMs: number): Promise<void> {
    this.#ended.abort();
    this.#release();
    if (this.#preparing) await settledWithin(this.#preparing, timeoutMs); // The next run uses the same folders.
    if (this.#worker) await this.#stopWorker(this.#worker, unlink, timeoutMs);
    const { saved, tmp, spool } = this.#dependencies;
    const steps = [
      () => endBrowsersOn(saved.profileOf(this.#id)),
      async () => this.#cgroup?.killAll(CGROUP_TIMEOUT_MS),
      () => tmp.remove(this.#id),
      () => spool.removeFolder(this.#id),
    ];
    for (const step of steps)
      await step().catch((error: unknown) => this.#log.error({ error: errorText(error) }, 'run not cleaned up'));
  }

  /** Prepares host and profile for a start. Throws if they are not available; nothing has been started then. */
  async #prepare(): Promise<Prepared> {
    const { saved, spool, tmp, foreignProcesses } = this.#dependencies;
    const shortage = await this.#dependencies.shortage();
    if (shortage) throw new Error(shortage);
    const { signal } = this.#ended;
    await this.#dependencies.mayRun(signal);
    const profile = saved.profileOf(this.#id);
    foreignProcesses.scanSoon();
    const [left] = await freeProfile(profile);
    // A second browser would corrupt the profile.
    if (left) throw new Error(`its last browser was killed but still runs (process ${left.pid})`);
    signal.throwIfAborted();
    const proxy = await this.#reachProxy(signal);
    await this.#dependencies.lineages.runs(this.#id);
    // Nothing uses the profile now.
    const all = [
      spool.folderFor(this.#id),
      tmp.folderFor(this.#id),
      this.#trimCaches(profile),
      this.#openCgroup(),
    ] as const;
    await Promise.allSettled(all); // Wait for all: no preparation may continue after a failure.
    const [spoolDir, tmpDir] = await Promise.all(all);
    return { spoolDir, tmpDir, ...(proxy ? { proxy } : {}) };
  }

  async #reachProxy(signal: AbortSignal): Promise<WorkerOptions['proxy']> {
    const { settings, proxyCheck } = this.#dependencies;
    const { proxy } = settings.of(this.#id);
    if (!proxy) return undefined;
    const { lacksCredentials, ...named } = proxy;
    if (lacksCredentials)
      throw new ProxyError('its user and password did not move with the session: start the session with them');
    return { ...named, address: await proxyCheck.reach(named, this.#id, signal) };
  }

  async #trimCaches(profile: string): Promise<void> {
    const bytes = await trimCaches(profile, this.#dependencies.config.cacheMaxBytes);
    if (bytes > 0) this.#log.info({ bytes }, 'caches removed');
  }

  async #openCgroup(): Promise<void> {
    const { cgroups, config } = this.#dependencies;
    this.#cgroup = await cgroups.of(this.#id);
    await this.#cgroup?.limitMemory(config.memoryHardBytes * KERNEL_MARGIN);
  }

  #startWorker({ tmpDir, ...prepared }: Prepared, past: Past): Worker {
    const env = { ...this.#dependencies.config.workerEnv, TMPDIR: tmpDir };
    const { child, channel } = startWorker(this.#dependencies.workerProgram(this.#id), env, this.#log);
    const watch = new SilenceWatch({
      intervalMs: HEARTBEAT_INTERVAL_MS,
      onSilent: (forMs) => this.#kill('WORKER_UNRESPONSIVE', `it sent nothing for ${forMs / SECOND_MS} s`),
    });
    const isAlive = { type: 'heartbeat' } as const;
    const stopHeartbeats =
      this.#dependencies.gatewayTimeoutMs === undefined
        ? () => {}
        : everyShared(HEARTBEAT_INTERVAL_MS, () => this.#worker?.link.send(isAlive));
    const onBroken = (did: string) => this.broke(did);
    const link = new WorkerLink(channel, this.#id, this.#log, {
      onEvent: (event) => this.#onEvent(event),
      onMessage: () => watch.received(),
      onBroken,
    });
    const exit = exitOf(child);
    void link.ended.then(async () => {
      if (!(await settledWithin(exit, LIVES_ON_MS))) onBroken('closed its channel');
    });
    const exited = exit.then(async (how) => {
      watch.stop();
      stopHeartbeats();
      link.readRestAtOnce();
      await settledWithin(link.ended, LAST_WORDS_MS);
      link.close(`exited (${how})`);
      return how;
    });
    this.#worker = { child, link, exited };
    const options = this.#workerOptions(prepared, past);
    // It enters its cgroup first, since it starts the browser at once.
    const entered = child.pid === undefined ? undefined : this.#cgroup?.enter(child.pid);
    if (entered) void entered.then(() => this.#ended.signal.aborted || link.send({ type: 'start', options }));
    else link.send({ type: 'start', options });
    this.#log.info({ pid: child.pid }, 'worker started');
    return this.#worker;
  }

  #workerOptions({ spoolDir, proxy }: Omit<Prepared, 'tmpDir'>, past: Past): WorkerOptions {
    const { saved, spool, config, pinnedPage, settings, gatewayTimeoutMs } = this.#dependencies;
    const { deviceName } = settings.of(this.#id);
    return {
      sessionId: this.#id,
      sessionDir: saved.dirOf(this.#id),
      browserPath: config.browserPath,
      headlessShell: config.headlessShell,
      browserWindow: config.browserWindow,
      browserArgs: [...config.browserArgs],
      uploadsDir: spool.dir,
      spoolDir,
      spoolMaxBytes: config.spoolSessionMaxBytes,
      ...past,
      pagesDir: saved.pagesDir,
      ...(pinnedPage ? { pinnedPage } : {}),
      ...(proxy ? { proxy } : {}),
      ...(deviceName === undefined ? {} : { deviceName }),
      silenceTimeoutMs: config.silenceTimeoutMs,
      ...(gatewayTimeoutMs === undefined ? {} : { gatewayTimeoutMs }),
      fetchLimits: {
        allowedHosts: [...config.mediaHosts],
        maxBytes: config.mediaMaxBytes,
        timeoutMs: config.mediaTimeoutMs,
        userAgent: `chat-web/${version()}`,
      },
    };
  }

  #onEvent(event: WorkerEvent): void {
    if (this.#hasFailed || this.#ended.signal.aborted) return;
    switch (event.name) {
      case 'failed':
        this.fail({ cause: { reason: event.reason, detail: event.detail }, retry: event.retry });
        return;
      case 'progress':
        this.#deadline.extend();
        return;
      case 'authenticating':
        this.#allowForSync();
        break;
      case 'qr':
      case 'passkey':
      case 'ready':
        this.#wasUp = true;
        this.#dependencies.startQueue.resume();
        this.#release();
    }
    this.#listener.onEvent(event);
  }

  /**
   * Allows for a first sync, which takes longer than a start. It may begin without a QR: the QR was scanned before it
   * was reported, or this run retries a stalled first sync. A start with saved auth keeps its deadline.
   */
  #allowForSync(): void {
    const isFirstSync = !this.#dependencies.saved.has(this.#id);
    if (isFirstSync || !this.#deadline.isSet)
      this.#deadline.set(this.#dependencies.config.syncTimeoutMs, 'the first sync');
  }

  /** Asks the worker to exit, and kills it after the timeout. */
  async #stopWorker({ child, link, exited }: Worker, unlink: boolean, timeoutMs: number): Promise<void> {
    link.send({ type: 'stop', unlink, timeoutMs });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    await exited;
    clearTimeout(timer);
  }

  /** A worker that hangs or breaks the rules is not asked to exit. */
  #kill(reason: Reason, detail: string): void {
    this.#worker?.child.kill('SIGKILL');
    this.fail({ cause: { reason, detail }, retry: true });
  }

  #release(): void {
    this.#deadline.clear();
    clearTimeout(this.#slotTimer);
    this.#releaseSlot?.();
  }
}
