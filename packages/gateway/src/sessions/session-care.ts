import { errorText, type SessionInfo, type WorkerEvent } from '@chat-web/protocol';
import { CONFLICT } from './deadlines.ts';
import type { Failure } from './failure.ts';
import type { RunEvent } from './run.ts';
import { replaceRun, type SessionParts, STOP_TIMEOUT_MS } from './session-parts.ts';
import { isRunning } from './session-state.ts';

/** What happens to a session that nobody asked for, and what is done about it. */
export class SessionCare {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** The worker tells of something. */
  onEvent(event: RunEvent): void {
    const { id, context, deadlines, hub, keeper, log, status, vitals } = this.#parts;
    switch (event.name) {
      case 'message':
        vitals.heard();
        if (keeper.isNews(event.message)) hub.publish({ name: 'message', data: event.message });
        return;
      case 'message_ack':
        vitals.heard();
        hub.publish({ name: 'message_ack', data: { id: event.id, ack: event.ack } });
        return;
      case 'qr':
        context.hostFault.cameUp(id);
        // A page that was linked and shows a QR has been unlinked while nobody looked.
        if (context.saved.has(id)) this.#onUnlinked();
        else {
          keeper.unpaired();
          status.apply({ type: 'qr', qr: event.qr });
        }
        return;
      case 'page':
        this.#onPage(event);
        return;
      case 'heard':
        keeper.skipTo(event.until);
        return;
      case 'gap': {
        const [from, to] = [isoTime(event.from), isoTime(event.to)];
        log.warn({ from, to, chats: event.chats }, 'messages were not caught up with: too old, or too many');
        // Else all of it would be reported again at the next restart. Where chats are named, what they miss may load the next time.
        if (event.chats === 0) keeper.skipTo(event.to);
        hub.publish({ name: 'gap', data: { reason: 'not_loaded', from, to } });
        return;
      }
      case 'authenticating':
        keeper.linking();
        status.apply({ type: 'authenticating' });
        return;
      case 'ready':
        this.#onReady(event.info);
        return;
      case 'connection_lost':
        status.apply({ type: 'connection_lost', reason: event.reason });
        deadlines.onConnectionLost(event.reason);
        return;
      case 'unlinked':
        this.#onUnlinked();
        return;
    }
  }

  /** One line for what is broken on this build of the page, and since which. */
  #onPage(seen: Extract<WorkerEvent, { name: 'page' }>): void {
    const { context, log, vitals } = this.#parts;
    const before = vitals.lastPage;
    vitals.page = context.pageHistory.note(seen);
    const { version, degraded } = vitals.page;
    if (degraded.length > 0) log.warn({ pageVersion: version, degraded }, 'the page lacks something');
    else if (before?.version !== version || before.degraded.length > 0)
      log.info({ pageVersion: version }, 'the page has all that is used');
  }

  #onReady(info: SessionInfo): void {
    const { id, context, keeper, log, status, vitals } = this.#parts;
    context.hostFault.cameUp(id);
    const saved = keeper.ready(info);
    vitals.active();
    status.apply({ type: 'ready', info });
    saved.catch((error: unknown) => log.error({ err: error }, 'the saved-auth marker could not be written'));
  }

  /** The auth is worthless now: the browser ends first, then the profile goes, and a fresh QR is asked for. */
  #onUnlinked(): void {
    const { keeper, status, vitals } = this.#parts;
    status.apply({ type: 'unlinked' });
    vitals.countRestart('unlinked');
    this.#withRun(async () => {
      await keeper.end(false, STOP_TIMEOUT_MS);
      await keeper.wipe();
      await keeper.start(true);
    });
  }

  /** The present run has come to an unasked end. */
  onFailure(failure: Failure): void {
    const { id, context, keeper, status } = this.#parts;
    const { cause, reason, retry } = failure;
    const cameUp = keeper.run?.cameUp ?? false;
    const { state } = status;
    // A restart would take the account back from whoever uses it.
    const isTaken = state.status === 'disconnected' && state.reason === CONFLICT && !context.config.takeOverOnConflict;
    status.apply({ type: 'crashed', reason });
    context.hostFault.failed(id, cause, context.countRunning());
    this.#withRun(async () => {
      await keeper.end(false, STOP_TIMEOUT_MS);
      if (isTaken) this.#giveUp(`its account is used elsewhere with the same link (${CONFLICT}), and ${reason}`);
      else if (!retry) this.#giveUp(reason);
      else this.#retry(failure, cameUp);
    });
  }

  #giveUp(reason: string): void {
    const { log, status } = this.#parts;
    log.error({ reason }, 'given up: nothing but a start by hand brings it back');
    status.apply({ type: 'gave_up', reason });
  }

  #retry(failure: Failure, cameUp: boolean): void {
    const { keeper, log, status, vitals } = this.#parts;
    const { cause, reason } = failure;
    const restartInMs = keeper.retry(failure, cameUp, () => {
      if (cause !== 'start_refused') vitals.countRestart(cause); // Else nothing had been started.
      this.inBackground(async () => {
        if (isRunning(status.state) && !keeper.run) await keeper.start(false);
      });
    });
    log.warn({ cause, reason, restartInMs }, 'restarting');
    status.changed();
  }

  /** The account is used elsewhere with the same link, and is to be taken back. */
  onTakeOver(): void {
    this.#withRun(() => replaceRun(this.#parts, 'conflict'));
  }

  /** Work on the present run that nobody waits for, unless it is stopped or deleted meanwhile. */
  #withRun(work: () => Promise<void>): void {
    const { keeper } = this.#parts;
    const { run } = keeper;
    this.inBackground(async () => {
      if (run && keeper.run === run) await work();
    });
  }

  /** Work under the lock that nobody waits for: where it fails, as for a disk that is full, it is tried again. */
  inBackground(work: () => Promise<void>): void {
    const { lock, log, status } = this.#parts;
    lock.run(work).catch((error: unknown) => {
      log.error({ err: error }, 'recovering the session failed');
      if (!isRunning(status.state)) return;
      this.#retry({ cause: 'start_refused', reason: errorText(error), retry: true }, false);
    });
  }
}

function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString();
}
