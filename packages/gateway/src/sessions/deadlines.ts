import type { Config } from '../config.ts';
import { MOST_TAKE_OVERS, takeOverDelay } from './restart-policy.ts';
import type { SessionState } from './session-state.ts';

/** What is done when a session has been in a status for too long. */
export interface DeadlineListener {
  onQrUnscanned(): void;
  onNotReconnected(reason: string): void;
  onTakeOver(): void;
}

/** The reason for which the page says that its account is used elsewhere with the same link. */
export const CONFLICT = 'CONFLICT';

/** Sets and clears the time limits of a status that a session would not leave by itself. */
export class Deadlines {
  readonly #config: Config;
  readonly #listener: DeadlineListener;
  #qr: NodeJS.Timeout | undefined;
  #connection: NodeJS.Timeout | undefined;
  #takeOvers: readonly number[] = [];

  constructor(config: Config, listener: DeadlineListener) {
    this.#config = config;
    this.#listener = listener;
  }

  /** The session is in another state now. */
  onState({ status }: SessionState): void {
    clearTimeout(this.#connection);
    if (status === 'qr') this.#qr ??= setTimeout(this.#listener.onQrUnscanned, this.#config.qrTimeoutMs).unref();
    // A crash while the QR is shown does not begin the wait anew.
    else if (status !== 'starting') this.forgetQr();
  }

  /** The page has lost its connection, and tries to get it back by itself. */
  onConnectionLost(lostTo: string): void {
    const { reconnectTimeoutMs, takeOverOnConflict } = this.#config;
    const { onNotReconnected } = this.#listener;
    clearTimeout(this.#connection);
    if (lostTo !== CONFLICT) {
      const reason = `the connection was lost (${lostTo}) and did not come back within ${reconnectTimeoutMs / 1_000} s`;
      this.#connection = setTimeout(() => onNotReconnected(reason), reconnectTimeoutMs).unref();
    } else if (takeOverOnConflict) {
      const waitMs = takeOverDelay(this.#takeOvers, performance.now());
      this.#connection = setTimeout(() => this.#takeOver(), waitMs).unref();
    }
    // Else the account is left to whoever uses it: a restart would be a fight over it.
  }

  /** Somebody has begun to look after the session: the wait for a scan begins anew. */
  forgetQr(): void {
    clearTimeout(this.#qr);
    this.#qr = undefined;
  }

  #takeOver(): void {
    this.#takeOvers = [...this.#takeOvers, performance.now()].slice(-MOST_TAKE_OVERS);
    this.#listener.onTakeOver();
  }
}
