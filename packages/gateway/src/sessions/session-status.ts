import { setTimeout as delay } from 'node:timers/promises';
import type { SessionEvent } from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { eventsOf, next, type SessionState, type StateEvent } from './session-state.ts';

/** Told of every change of the state, the events for its stream first. */
export interface StatusListener {
  onEvent(event: SessionEvent): void;
  onState(state: SessionState): void;
}

/** Holds a session's state, and tells of its changes. */
export class SessionStatus {
  readonly #log: Log;
  readonly #listener: StatusListener;
  readonly #watchers = new Set<() => void>();
  #state: SessionState = { status: 'stopped' };
  #since = new Date();

  constructor(log: Log, listener: StatusListener) {
    this.#log = log;
    this.#listener = listener;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** When the status last changed. */
  get since(): Date {
    return this.#since;
  }

  apply(event: StateEvent): void {
    const before = this.#state;
    this.#state = next(before, event);
    if (this.#state === before) return;
    if (this.#state.status !== before.status) {
      this.#since = new Date();
      const reason = 'reason' in this.#state ? this.#state.reason : undefined;
      this.#log.info({ from: before.status, status: this.#state.status, reason }, 'status changed');
    }
    for (const told of eventsOf(before, this.#state)) this.#listener.onEvent(told);
    this.#listener.onState(this.#state);
    this.changed();
  }

  /** Something that waiters look at beside the state has changed. */
  changed(): void {
    for (const look of [...this.#watchers]) look();
  }

  /** Waits until something is so, or the time is up. */
  async until(isSo: () => boolean, timeoutMs: number): Promise<void> {
    const over = new AbortController();
    await new Promise<void>((resolve) => {
      const look = () => {
        if (isSo()) resolve();
      };
      this.#watchers.add(look);
      over.signal.addEventListener('abort', () => this.#watchers.delete(look));
      look();
      delay(timeoutMs, undefined, { signal: over.signal }).then(resolve, () => {});
    });
    over.abort();
  }
}
