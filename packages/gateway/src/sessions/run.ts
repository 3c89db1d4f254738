import { setTimeout as delay } from 'node:timers/promises';
import { errorText, type WorkerEvent, type WorkerOperationName, type WorkerOptions } from '@chat-web/protocol';
import { endBrowsersOn } from '../host/browser-sweep.ts';
import type { SessionCgroup } from '../host/cgroup.ts';
import { trimCaches } from '../host/disk.ts';
import { freeProfile } from '../host/profile-lock.ts';
import type { Log } from '../log.ts';
import type { Failure } from './failure.ts';
import type { SessionContext } from './session-context.ts';
import { StartDeadline } from './start-deadline.ts';
import type { Release } from './start-queue.ts';
import { Worker } from './worker.ts';

/** What a worker tells of its session; a failure, and that it gets on, is the run's own business. */
export type RunEvent = Exclude<WorkerEvent, { readonly name: 'failed' | 'progress' }>;

/** Told of what happens in a run. Nothing is told any more after `end`. */
export interface RunListener {
  onEvent(event: RunEvent): void;
  /** The run has come to an unasked end: its calls have failed, and it waits to be ended. Told once. */
  onFailure(failure: Failure): void;
}

/** What a run is begun with. */
export interface RunStart {
  /** Somebody waits for it: it goes first. */
  readonly byHand: boolean;
  /** From when on inbound messages may not have been heard yet, in Unix seconds; asked when the worker starts. */
  heardUntil(): number;
  /** When a run before this one was linked, in Unix seconds, where the session has not been ready yet; 0 otherwise. */
  readonly linkedAt: number;
  /** A run before this one, of the last day, ended because nobody confirmed its sends. */
  readonly wasMute: boolean;
}

/** Folders of a run's own. */
interface RunFolders {
  /** Where bytes lie that are on their way between gateway and worker. */
  readonly spoolDir: string;
  /** What worker and browser leave in it goes with the run. */
  readonly tmpDir: string;
}

const SECOND = 1_000;
const SLOT_TIMEOUT_MS = 60 * SECOND;
const CGROUP_TIMEOUT_MS = 2 * SECOND;
/** The kernel's limit stands behind our own mark, and counts what the mark does not: files that lie in memory. */
const KERNEL_MARGIN = 1.5;

/** One incarnation of a session, from its place in the start queue to the exit of its worker. */
export class Run {
  readonly #id: string;
  readonly #context: SessionContext;
  readonly #log: Log;
  readonly #listener: RunListener;
  readonly #ended = new AbortController();
  #preparing: Promise<RunFolders> | undefined;
  #worker: Worker | undefined;
  #cgroup: SessionCgroup | undefined;
  #releaseSlot: Release | undefined;
  // Not killed: a browser that is killed in its first sync may lose what it has written, and the link with it.
  readonly #deadline = new StartDeadline((reason) => this.fail({ cause: 'start_timeout', reason, retry: true }));
  #slotTimer: NodeJS.Timeout | undefined;
  #cameUp = false;
  #hasFailed = false;

  constructor(id: string, context: SessionContext, log: Log, listener: RunListener) {
    this.#id = id;
    this.#context = context;
    this.#log = log;
    this.#listener = listener;
  }

  /** True once it has shown a QR or become ready. */
  get cameUp(): boolean {
    return this.#cameUp;
  }

  /** True while its worker runs and is of use. */
  get isUp(): boolean {
    return this.#worker !== undefined && !this.#hasFailed;
  }

  get workerPid(): number | undefined {
    return this.#worker?.pid;
  }

  /** How many calls have no answer yet. */
  get pending(): number {
    return this.#worker?.pending ?? 0;
  }

  /** Waits for a slot, runs the worker, and resolves at its end. Never rejects. */
  async start({ byHand, heardUntil, linkedAt: linkedBefore, wasMute }: RunStart): Promise<void> {
    try {
      this.#releaseSlot = await this.#context.startQueue.acquire(this.#ended.signal, byHand);
    } catch {
      return; // Ended while it waited.
    }
    const { startTimeoutMs } = this.#context.config;
    this.#slotTimer = setTimeout(() => this.#releaseSlot?.(), SLOT_TIMEOUT_MS);
    this.#deadline.set(startTimeoutMs, 'the start');
    try {
      this.#preparing = this.#prepare();
      const folders = await this.#preparing;
      if (this.#ended.signal.aborted) return; // Ended while this was prepared: from here on there is a worker to end.
      const savedAt = await this.#context.saved.linkedAt(this.#id);
      const linkedAt = savedAt ? savedAt.getTime() / SECOND : linkedBefore;
      if (this.#ended.signal.aborted) return;
      const how = await this.#startWorker(folders, { heardUntil: heardUntil(), linkedAt, wasMute }).exited;
      this.fail({ cause: 'worker_exited', reason: `its worker exited (${how})`, retry: true });
    } catch (error) {
      this.fail({ cause: 'start_refused', reason: errorText(error), retry: true });
    } finally {
      this.#release();
    }
  }

  call(operation: WorkerOperationName, input: unknown): Promise<unknown> | undefined {
    return this.#worker?.call(operation, input);
  }

  /** Comes to an unasked end: whatever is under way fails now. */
  fail(failure: Failure): void {
    if (this.#hasFailed || this.#ended.signal.aborted) return;
    this.#hasFailed = true;
    this.#release();
    this.#worker?.giveUp(`was given up (${failure.reason})`);
    this.#listener.onFailure(failure);
  }

  /**
   * Ends whatever runs or waits to run; resolves when the worker and its browser are gone. Never rejects: what could
   * not be tidied up is a line in the log, and the next start's business.
   */
  async end(unlink: boolean, timeoutMs: number): Promise<void> {
    this.#ended.abort();
    this.#release();
    const prepared = this.#preparing?.catch(() => {});
    await Promise.race([prepared, delay(timeoutMs, undefined, { ref: false })]); // The next run wants the same folders.
    await this.#worker?.stop(unlink, timeoutMs);
    try {
      await endBrowsersOn(this.#context.saved.profileOf(this.#id));
      await this.#cgroup?.killAll(CGROUP_TIMEOUT_MS);
      await this.#context.tmp.remove(this.#id);
      await this.#context.spool.removeFolder(this.#id);
    } catch (error) {
      this.#log.error({ reason: errorText(error) }, 'something of the run is left');
    }
  }

  /** Makes host and profile fit for a start. Throws where they are not to be had; nothing has been started then. */
  async #prepare(): Promise<RunFolders> {
    const { saved, spool, tmp, strangers, resources, cgroups, config } = this.#context;
    const shortage = await resources.shortage();
    if (shortage) throw new Error(shortage);
    const { signal } = this.#ended;
    const profile = saved.profileOf(this.#id);
    strangers.look();
    await freeProfile(profile);
    signal.throwIfAborted();
    const bytes = await trimCaches(profile, config.cacheMaxBytes);
    if (bytes > 0) this.#log.info({ bytes }, 'caches removed');
    signal.throwIfAborted();
    this.#cgroup = await cgroups.of(this.#id);
    await this.#cgroup?.limitMemory(config.memoryHardBytes * KERNEL_MARGIN);
    return { spoolDir: await spool.folderFor(this.#id), tmpDir: await tmp.folderFor(this.#id) };
  }

  #startWorker(
    { spoolDir, tmpDir }: RunFolders,
    past: Pick<WorkerOptions, 'heardUntil' | 'linkedAt' | 'wasMute'>,
  ): Worker {
    const { saved, config, pinnedPage } = this.#context;
    const options = {
      sessionId: this.#id,
      sessionDir: saved.dirOf(this.#id),
      browserPath: config.browserPath,
      headlessShell: config.headlessShell,
      browserArgs: [...config.browserArgs],
      spoolDir,
      spoolMaxBytes: config.spoolSessionMaxBytes,
      ...past,
      pagesDir: saved.pagesDir,
      ...(pinnedPage ? { pinnedPage } : {}),
      silenceTimeoutMs: config.silenceTimeoutMs,
      fetchLimits: {
        allowedHosts: [...config.mediaHosts],
        maxBytes: config.mediaMaxBytes,
        timeoutMs: config.mediaTimeoutMs,
      },
    };
    const program = this.#context.workerProgram(this.#id);
    const env = { ...config.workerEnv, TMPDIR: tmpDir };
    const worker = new Worker({ program, env, options }, this.#log, {
      onEvent: (event) => this.#onEvent(event),
      onBroken: (did) => this.#kill('worker_misbehaved', `its worker ${did}`),
      onSilent: (forMs) => this.#kill('worker_silent', `its worker has been silent for ${forMs / SECOND} s`),
    });
    this.#worker = worker;
    if (worker.pid !== undefined) void this.#cgroup?.enter(worker.pid); // Long before it has loaded its own code.
    this.#log.info({ pid: worker.pid }, 'worker started');
    return worker;
  }

  #onEvent(event: WorkerEvent): void {
    if (this.#hasFailed || this.#ended.signal.aborted) return;
    if (event.name === 'failed') {
      this.fail(event);
      return;
    }
    if (event.name === 'progress') {
      this.#deadline.extend();
      return;
    }
    // A first sync takes longer than a start, also where no QR was shown: it was scanned before it was reported, or this
    // run retries a first sync that stalled. A start with saved auth keeps the deadline that it has.
    const isFirstSync = event.name === 'authenticating' && !this.#context.saved.has(this.#id);
    if (isFirstSync || (event.name === 'authenticating' && !this.#deadline.isSet)) {
      this.#deadline.set(this.#context.config.syncTimeoutMs, 'the first sync');
    } else if (event.name === 'qr' || event.name === 'ready') {
      this.#cameUp = true;
      this.#context.startQueue.cameUp();
      this.#release();
    }
    this.#listener.onEvent(event);
  }

  /** One that hangs is not asked to end. */
  #kill(cause: Failure['cause'], reason: string): void {
    this.#worker?.kill();
    this.fail({ cause, reason, retry: true });
  }

  #release(): void {
    this.#deadline.clear();
    clearTimeout(this.#slotTimer);
    this.#releaseSlot?.();
  }
}
