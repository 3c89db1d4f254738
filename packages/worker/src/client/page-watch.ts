import { errorText, settledWithin, type WorkerFailure } from '@chat-web/protocol';
import type { PageState } from '../page/session.ts';
import type { Capabilities } from './capabilities.ts';
import { FailureThreshold } from './failure-threshold.ts';
import type { Inbox } from './inbox/inbox.ts';
import type { LinkEvent } from './link-state.ts';
import { wasNavigated } from './page-errors.ts';
import { PageProbe } from './page-probe.ts';
import type { PageReport } from './page-report.ts';
import type { Log } from './port.ts';
import type { WhatsAppClient } from './whatsapp-client.ts';

/** How long the network may take to answer, and how many answers in a row may be missing. */
const NETWORK_TIMEOUT_MS = 20_000;
const MAX_UNANSWERED = 2;
const MAX_DEAF_CHECKS = 2;
/** Failures further apart do not count as in a row. */
const FAILURE_WINDOW_MS = 60 * 60_000;
/** This many unconfirmed sends in a row, on a page that reports a connection, are a fault. */
const MAX_UNCONFIRMED = 5;

/** The session that is watched. */
interface WatchedSession {
  readonly isReady: boolean;
  /** When the network last sent anything, in milliseconds since 1970. */
  readonly lastNetworkActivityAt: number;
  /** The time from which numbers may be looked up, in milliseconds since 1970. */
  readonly lookUpsFrom: number;
  onNetworkActivity(): void;
  dispatch(event: LinkEvent): void;
}

export interface WatchDependencies {
  readonly session: WatchedSession;
  readonly client: WhatsAppClient;
  readonly capabilities: Capabilities;
  readonly inbox: Inbox;
  readonly report: PageReport;
  readonly log: Log;
  readonly options: {
    /** After this long without network activity, the network is queried. Milliseconds. */
    readonly silenceTimeoutMs: number;
    /** A restart for unconfirmed sends has been tried: another one would not help. */
    readonly wasMute: boolean;
  };
}

/**
 * Detects faults that a page does not report itself: it is frozen, its listeners are gone, it stores messages without
 * reporting them, it reports CONNECTED on a dead connection, or its sends are not confirmed.
 */
export class PageWatch {
  readonly #dependencies: WatchDependencies;
  readonly #probe: PageProbe<PageState>;
  readonly #deafness = new FailureThreshold(MAX_DEAF_CHECKS, FAILURE_WINDOW_MS);
  readonly #silence = new FailureThreshold(MAX_UNANSWERED, FAILURE_WINDOW_MS);
  #isQuerying = false;
  #unconfirmed = 0;
  #progress = '';

  constructor(dependencies: WatchDependencies) {
    this.#dependencies = dependencies;
    this.#probe = new PageProbe({
      ask: () => dependencies.client.link.run('readPageState'),
      onAnswer: (state) => void this.#onPageState(state),
      onFrozen: (detail) => dependencies.session.dispatch({ name: 'failed', reason: 'PAGE_FROZEN', detail }),
    });
  }

  /** Starts the regular probes. Call once the page is loaded and injected. */
  start(): void {
    void this.#probe.run();
  }

  stop(): void {
    this.#probe.stop();
  }

  /** The page has news of its state. */
  onNews(): void {
    this.#probe.hasten();
  }

  /** The network confirmed a send, or not in time. */
  onSent(isConfirmed: boolean): void {
    this.#unconfirmed = isConfirmed ? 0 : this.#unconfirmed + 1;
    if (isConfirmed) this.#dependencies.report.setFinding('sendMessage', undefined);
    else if (this.#unconfirmed >= MAX_UNCONFIRMED && this.#dependencies.session.isReady) void this.#onMute();
  }

  /**
   * Restarts a page that does not send: a full disk or a dead connection may be the cause. A restricted account looks
   * the same, but a restart does not help: after one restart, the problem is reported instead. Never rejects.
   */
  async #onMute(): Promise<void> {
    const { report, options } = this.#dependencies;
    const why = `the network has confirmed none of the last ${this.#unconfirmed} sends`;
    const answers = this.#mayQuery() ? await this.#doesNetworkAnswer() : undefined;
    if (answers === false) this.#fail('PAGE_MUTE', `${why}, and does not respond`);
    else if (!options.wasMute) this.#fail('PAGE_MUTE', why);
    else {
      const hint = 'even after a restart: check the phone, the account may be restricted';
      report.setFinding('sendMessage', `${why}, ${hint}`);
    }
  }

  /** Acts on the polled state of the page, since an event may have been lost. Never rejects. */
  async #onPageState({ injected, listening, socketState, progress, dialogs, limits }: PageState): Promise<void> {
    const { client, session, log, report } = this.#dependencies;
    try {
      report.setFinding('page.dialog', dialogs.length > 0 ? `a dialog stays open: ${dialogs.join('; ')}` : undefined);
      if (progress !== this.#progress) session.dispatch({ name: 'progress' });
      this.#progress = progress;
      if (!injected) await client.inject();
      else if (socketState) session.dispatch({ name: 'socket', state: socketState });
      if (!session.isReady) return;
      if (limits) report.setLimits(limits);
      await this.#checkForLateModules();
      if (!listening) this.#fail('PAGE_DEAF', 'the listeners of the page are gone');
      else if (await this.#isDeaf()) {
        // Also delivers messages that arrived since the last check.
        await this.#dependencies.inbox.catchUp().finally(() => {
          this.#fail('PAGE_DEAF', 'the page stores messages without reporting them');
        });
      } else void this.#queryAfterSilence();
    } catch (error) {
      if (!wasNavigated(error)) log('warn', 'page check failed', { error: errorText(error) });
    }
  }

  async #checkForLateModules(): Promise<void> {
    const { client, capabilities } = this.#dependencies;
    if (capabilities.lacking.length > 0 && capabilities.mayGrow) await client.checkLateParts();
  }

  async #isDeaf(): Promise<boolean> {
    const hearing = await this.#dependencies.inbox.checkListeners();
    if (hearing === 'listening') this.#deafness.reset();
    return hearing === 'deaf' && this.#deafness.fail();
  }

  /** Queries the network after a long silence; any answer counts. Never rejects. */
  async #queryAfterSilence(): Promise<void> {
    const { session, log, options } = this.#dependencies;
    const silenceMs = Date.now() - session.lastNetworkActivityAt;
    if (this.#isQuerying || !this.#mayQuery() || silenceMs < options.silenceTimeoutMs) return;
    this.#isQuerying = true;
    const answers = await this.#doesNetworkAnswer();
    this.#isQuerying = false;
    if (answers) {
      this.#silence.reset();
      session.onNetworkActivity();
      return;
    }
    log('warn', 'network did not respond', { silenceSeconds: Math.round(silenceMs / 1_000) });
    if (this.#silence.fail() && session.isReady) this.#fail('PAGE_DEAF', 'the network does not respond');
  }

  #fail(reason: WorkerFailure, detail: string): void {
    this.#dependencies.session.dispatch({ name: 'failed', reason, detail });
  }

  /** Right after linking, a query about a number may get the account unlinked. */
  #mayQuery(): boolean {
    return Date.now() >= this.#dependencies.session.lookUpsFrom;
  }

  async #doesNetworkAnswer(): Promise<boolean> {
    // A refusal is an answer; other events report a closing page.
    return settledWithin(this.#dependencies.client.link.run('queryNetwork'), NETWORK_TIMEOUT_MS);
  }
}
