import { setTimeout as delay } from 'node:timers/promises';
import { Counts } from '@chat-web/protocol';

const POLL_MS = 20;

/** The calls that this gateway answers or forwards, in a cluster. Streams are not counted. */
export class Calls {
  /** Forwarded and not answered yet: the gateway waits for them before it stops. */
  forwarded = 0;
  /** Those that wait for the end of a move. */
  waiting = 0;
  readonly #ofSessions = new Counts();

  /** A call begins: of a session here, or, without one, of another host. Returns what to call at its end. */
  enter(session: string | undefined): () => void {
    if (session === undefined) {
      this.forwarded += 1;
      return () => {
        this.forwarded -= 1;
      };
    }
    this.#ofSessions.add(session, 1);
    return () => this.#ofSessions.add(session, -1);
  }

  /** Waits until a session has no calls here, or the time is up. */
  async settled(session: string, timeoutMs: number): Promise<void> {
    const endsAt = performance.now() + timeoutMs;
    while (this.#ofSessions.of(session) > 0 && performance.now() < endsAt) await delay(POLL_MS);
  }
}
