import { listen, type SessionView } from '@chat-web/host';
import { errorText } from '@chat-web/protocol';
import { signal } from '@preact/signals';
import type { Connection } from '../connection.ts';
import { whileVisible } from './while-visible.ts';

/** How often the whole list is read, for memory, disk and last events. Status changes arrive as events. */
const READ_EVERY_MS = 5_000;
const READ_TIMEOUT_MS = 15_000;

interface Lost {
  readonly since: Date;
  /** As a sentence. */
  readonly why: string;
}

/** The sessions that the caller may see: read at once, then kept current until `stop`. */
export class LiveSessions {
  /** By id, in the order of the gateway; undefined until they are read. */
  readonly all = signal<ReadonlyMap<string, SessionView> | undefined>(undefined);
  /** When and why reading the list began to fail; undefined while it works. */
  readonly lost = signal<Lost | undefined>(undefined);
  readonly #connection: Connection;
  readonly #stopping = new AbortController();
  readonly #stopFollowing: () => void;
  #timer: number | undefined;
  #reading: Promise<void> | undefined;
  /** Something changed while the list was being read: the result may be outdated. */
  #mustReadAgain = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#stopFollowing = whileVisible((signal) => {
      void this.#follow(signal);
      void this.refresh();
    });
  }

  stop(): void {
    this.#stopping.abort();
    this.#stopFollowing();
    clearTimeout(this.#timer);
  }

  /** Reads the list now. A reading in progress may miss the latest change, so that another one follows it. Never rejects. */
  refresh(): Promise<void> {
    this.#mustReadAgain ||= this.#reading !== undefined;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      this.#scheduleRead();
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      const { client } = this.#connection;
      const { sessions } = await client.listSessions({}, { retries: 0, timeoutMs: READ_TIMEOUT_MS, signal });
      this.all.value = withKept(this.all.value, sessions);
      this.lost.value = undefined;
    } catch (error) {
      if (signal.aborted) return;
      // A proxy may answer, or a newer gateway with data that this page does not know.
      const why = errorText(error);
      this.lost.value = { since: this.lost.peek()?.since ?? new Date(), why };
    }
  }

  /** A hidden page reads nothing. */
  #scheduleRead(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    const read = () => {
      if (!document.hidden) void this.refresh(); // Otherwise it is read when the page is visible again.
    };
    this.#timer = setTimeout(read, this.#mustReadAgain ? 0 : READ_EVERY_MS);
    this.#mustReadAgain = false;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const events = listen(this.#connection.address, {
      events: ['status'],
      signal,
      onConnect: () => void this.refresh(),
      onDisconnect: () => {
        if (!signal.aborted) void this.refresh(); // A hidden page reads nothing.
      },
      onError: () => {}, // It reconnects automatically; the readings show a gateway that does not answer.
    });
    try {
      for await (const event of events) {
        if (event.name !== 'status') continue;
        const { value: all } = this.all;
        const known = all?.get(event.session);
        if (known) this.all.value = new Map(all).set(known.id, changed(known, event.data, event.at));
        if (known === undefined || this.#reading) void this.refresh();
      }
    } catch {
      // The token is no longer valid: the next reading shows that.
    }
  }
}

type StatusData = Pick<SessionView, 'status' | 'reason' | 'message' | 'restarts' | 'nextAttemptAt'>;

function changed(known: SessionView, data: StatusData, at: string | undefined): SessionView {
  const { reason: _reason, message: _message, nextAttemptAt: _next, ...rest } = known;
  const since = data.status === known.status ? known.since : (at ?? known.since);
  return { ...rest, ...data, since };
}

/** Unchanged sessions keep their objects, so that only rows of changed ones are drawn again. */
function withKept(
  before: ReadonlyMap<string, SessionView> | undefined,
  now: readonly SessionView[],
): ReadonlyMap<string, SessionView> {
  const kept = now.map((view) => {
    const known = before?.get(view.id);
    return known && JSON.stringify(known) === JSON.stringify(view) ? known : view;
  });
  return new Map(kept.map((view) => [view.id, view]));
}
