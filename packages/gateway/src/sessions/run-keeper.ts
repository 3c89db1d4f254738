import type { Message, SessionInfo } from '@chat-web/protocol';
import type { Log } from '../log.ts';
import type { Failure } from './failure.ts';
import { HeardMessages } from './heard-messages.ts';
import { Recovery } from './recovery.ts';
import { Run, type RunListener } from './run.ts';
import type { SessionContext } from './session-context.ts';

const SECOND_MS = 1_000;
/** An account that the network restricts stays so for hours: it is restarted once a day for that, whatever comes between. */
const MUTE_MEMORY_MS = 24 * 60 * 60 * SECOND_MS;

/** Told of what happens in the runs of a session. */
export interface RunsListener extends RunListener {
  /** A run begins. */
  onStart(): void;
}

/** The present run of a session, one at a time, and what is kept from one to the next. */
export class RunKeeper {
  readonly #id: string;
  readonly #context: SessionContext;
  readonly #log: Log;
  readonly #listener: RunsListener;
  readonly #heard: HeardMessages;
  readonly #recovery = new Recovery();
  #run: Run | undefined;
  /** Which run this is, counted from the gateway's start: what the log tells one from another by. */
  #generation = 0;
  /** When the account was linked, in Unix seconds, while no run has become ready since; 0 where it is not known. */
  #linkedAt = 0;
  /** When a run last ended because nobody confirmed its sends, on the clock that nobody sets. */
  #muteAt = Number.NEGATIVE_INFINITY;

  constructor(id: string, context: SessionContext, log: Log, listener: RunsListener) {
    this.#id = id;
    this.#context = context;
    this.#log = log;
    this.#listener = listener;
    this.#heard = new HeardMessages(context.saved.heardOf(id), log);
  }

  get run(): Run | undefined {
    return this.#run;
  }

  /** When the next run begins, while that is waited for. */
  get nextAttemptAt(): Date | undefined {
    return this.#recovery.nextAttemptAt;
  }

  /** Begins a run, where none is. `byHand`: somebody waits for it. */
  async start(byHand: boolean): Promise<void> {
    await this.#heard.load();
    const wasMute = performance.now() - this.#muteAt < MUTE_MEMORY_MS;
    this.#generation += 1;
    const log = this.#log.child({ run: this.#generation });
    this.#listener.onStart();
    this.#run = new Run(this.#id, this.#context, log, this.#listener);
    void this.#run.start({ byHand, heardUntil: () => this.#heard.from, linkedAt: this.#linkedAt, wasMute });
  }

  /** Ends the run, or the wait for one; resolves when nothing is left of it. */
  async end(unlink: boolean, timeoutMs: number): Promise<void> {
    this.#recovery.cancel();
    const run = this.#run;
    this.#run = undefined;
    await run?.end(unlink, timeoutMs);
    await this.#heard.flush();
  }

  /** Has `start` called when it is time to try again after a failure. Returns in how many milliseconds that is. */
  retry({ cause }: Failure, cameUp: boolean, start: () => void): number {
    if (cause === 'page_mute') this.#muteAt = performance.now();
    return this.#recovery.retry(cause, cameUp, start);
  }

  /** Past failures count no more. */
  forgive(): void {
    this.#recovery.reset();
    this.#muteAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * The account is linked and its first sync begins, or goes on in another run: the first of these is the link. Kept for
   * the runs that follow, since the marker is written only when the session is ready.
   */
  linking(): void {
    if (!this.#context.saved.has(this.#id)) this.#linkedAt ||= Date.now() / SECOND_MS;
  }

  /** The session shows a QR: a link that seemed to begin has come to nothing. */
  unpaired(): void {
    this.#linkedAt = 0;
  }

  /** The session is ready. Rejects where the marker of saved auth cannot be written. */
  ready(info: SessionInfo): Promise<void> {
    this.#recovery.ready();
    this.#heard.begin();
    return this.#context.saved.save(this.#id, info, this.#linkedAt ? new Date(this.#linkedAt * SECOND_MS) : new Date());
  }

  /** False for a message that the session was told of already. */
  isNews({ id, timestamp }: Message): boolean {
    return this.#heard.isNews(id, timestamp);
  }

  /** Messages before this time, in Unix seconds, are not caught up with any more. */
  skipTo(timestamp: number): void {
    this.#heard.skipTo(timestamp);
  }

  /** Wipes the session's folder; nothing of it may run. */
  wipe(): Promise<void> {
    this.#heard.clear();
    this.#linkedAt = 0;
    this.#muteAt = Number.NEGATIVE_INFINITY; // Another account may come.
    return this.#context.saved.wipe(this.#id);
  }
}
