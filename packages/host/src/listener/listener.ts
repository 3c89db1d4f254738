import {
  BoundedMap,
  DEFAULT_EVENTS,
  deferred,
  EVENT_NAMES,
  type EventName,
  errorText,
  isEventName,
  Lanes,
  type LaneTask,
  OPT_IN_EVENTS,
  settledWithin,
  unlessAborted,
} from '@chat-web/protocol';
import { type EventChoice, queryOf } from '../event-choice.ts';
import { type Backoff, backoffMs } from '../retry.ts';
import type { GatewayAddress } from '../transport.ts';
import { type ConnectionTiming, type Disconnect, follow } from './connection.ts';
import { type EventHandlers, type ListenedEvent, readEvent } from './events.ts';
import { isEventId } from './frames.ts';
import { PositionKeeper } from './position-keeper.ts';
import { memoryPosition, PositionSaver, type PositionStore } from './position-store.ts';

export interface ListenOptions<N extends EventName = EventName> extends EventChoice<N> {
  /**
   * One session: its own stream, which begins with the QR that it shows, and ends with `session_not_found` when the
   * session is deleted. Several: these, whether they exist yet or not. Absent: all that the token or key may access,
   * including later ones.
   */
  readonly sessions?: string | readonly string[] | undefined;
  /** Only these events, and `gap`. Absent: those that have a handler; for `any` and the iterator, the default ones. */
  readonly events?: readonly N[] | undefined;
  /** Where the position is stored across restarts of the application. Absent: in memory. */
  readonly position?: PositionStore | undefined;
  /**
   * Where to begin if no position is stored: `now` (default), `oldest`, after the event of an id, or
   * after a time in ISO 8601.
   */
  readonly from?: 'now' | 'oldest' | (string & {}) | undefined;
  /** Stops the listener when it aborts, as `stop()` does. */
  readonly signal?: AbortSignal | undefined;
  /** Wait for a session that does not exist, instead of ending with `session_not_found`. Default: false. */
  readonly waitForSession?: boolean | undefined;
  /** How many handlers of `run` run at the same time, each for another session. Default: 16. */
  readonly concurrency?: number | undefined;
  /**
   * How many events are held in memory; then reading stops until some are handled. Default: 10,000; or 16 million
   * characters.
   */
  readonly maxEventsInHand?: number | undefined;
  /**
   * The minimum time between two saves of the position: events handled in between are delivered again after a crash.
   * Default: 100.
   */
  readonly savePositionEveryMs?: number | undefined;
  /** How long `stop()` waits at most for running handlers, and then for the last save. Default: 10,000. */
  readonly stopTimeoutMs?: number | undefined;
  /** Called each time the gateway accepts the connection. */
  readonly onConnect?: (() => void) | undefined;
  /** Called each time a connection ends or fails; the listener reconnects automatically. */
  readonly onDisconnect?: ((disconnect: Disconnect) => void) | undefined;
  /**
   * Called when a handler fails, with the event and the attempt (from 1). Return `'skip'` to skip the event; otherwise it
   * is retried after 1 s, 2 s, … 60 s. Also called, without an attempt, when
   * - a `gap` has no handler (with the event),
   * - an event could not be read and was skipped (its text is the error's `cause`),
   * - the position could not be saved (it is tried again),
   * - the fifth attempt in a row to connect has failed (the next one follows).
   *
   * If it throws, the listener ends with that error. Absent: `console.warn`.
   */
  readonly onError?: ((error: unknown, event?: ListenedEvent, attempt?: number) => unknown) | undefined;
}

/** Timings that applications do not need to change. */
export interface ListenerTiming extends ConnectionTiming {
  /** The delays between attempts of a handler, and of saving the position. */
  readonly retry: Backoff;
}

interface Received {
  readonly event: ListenedEvent;
  readonly length: number;
  done(): void;
}

const CONCURRENCY = 16;
const MAX_EVENTS = 10_000;
const MAX_LENGTH = 16 * 1_048_576;
const SAVE_EVERY_MS = 100;
const STOP_TIMEOUT_MS = 10_000;
/** A gateway resends a few events if the connection broke at a bad moment. */
const RECENT_IDS = 10_000;
/** In a row; a restart of the gateway takes fewer. */
const REPORT_AFTER_FAILURES = 4;

/**
 * Follows events. Can be used once, in one of two ways: with `for await`, one event after the other, or with `run`,
 * sessions in parallel.
 */
export class Listener<N extends EventName = EventName> implements AsyncIterable<ListenedEvent<N | 'gap'>> {
  readonly #address: GatewayAddress;
  readonly #options: ListenOptions<N>;
  readonly #timing: ListenerTiming;
  readonly #store: PositionStore;
  readonly #keeper: PositionKeeper;
  readonly #saver: PositionSaver;
  /** Aborts when reading ends, and no other handler may start. */
  readonly #over = new AbortController();
  readonly #stop = () => void this.stop();
  #failure: { readonly error: unknown } | undefined;
  /** Resolves when its user has finished. Undefined: it was not used yet. */
  #used: Promise<void> | undefined;
  #loading: Promise<string | undefined> | undefined;
  #ended: Promise<void> | undefined;

  constructor(address: GatewayAddress, options: ListenOptions<N>, timing: ListenerTiming) {
    this.#address = address;
    this.#options = options;
    this.#timing = timing;
    this.#store = options.position ?? memoryPosition();
    this.#saver = new PositionSaver(this.#store, {
      everyMs: options.savePositionEveryMs ?? SAVE_EVERY_MS,
      retry: timing.retry,
      onError: (error) =>
        this.#reportError(new Error(`the position was not saved: ${errorText(error)}`, { cause: error })),
    });
    this.#keeper = new PositionKeeper((position) => this.#saver.save(position));
    options.signal?.addEventListener('abort', this.#stop, { once: true });
    if (options.signal?.aborted) this.#stop();
  }

  /** The newest position up to which all events are handled. Undefined: none is known yet. */
  get position(): string | undefined {
    return this.#keeper.position;
  }

  /**
   * Yields one event after the other. Requesting the next one marks the previous one as handled. `break`, `return` and an
   * error in the loop leave the current one unhandled: it is delivered again when the application listens again. To end
   * the loop after a handled event, call `stop()` without awaiting it, and continue the loop: it ends then.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<ListenedEvent<N | 'gap'>, void, undefined> {
    const release = this.#use();
    try {
      for await (const { event, done } of this.#received(this.#options.events)) {
        yield event as ListenedEvent<N | 'gap'>;
        done();
      }
    } finally {
      release();
      await this.#end();
    }
    if (this.#failure) throw this.#failure.error;
  }

  /**
   * Calls the handler of each event: in order within a session, and sessions in parallel. Resolves when the listener has
   * been stopped. Rejects with the gateway's GatewayError if another attempt would not help (400, 401, 403, 404), or with
   * the error of the position store's `load` or of `onError`; in each case it waits for running handlers first.
   */
  async run(handlers: EventHandlers): Promise<void> {
    const events = this.#options.events ?? namesOf(handlers);
    if (events?.length === 0) throw new TypeError('run needs a handler');
    const release = this.#use();
    const { concurrency = CONCURRENCY, maxEventsInHand = MAX_EVENTS } = this.#options;
    const { signal } = this.#over;
    const lanes = new Lanes({ concurrency, max: { tasks: maxEventsInHand, length: MAX_LENGTH }, signal });
    try {
      for await (const received of this.#received(events)) {
        const { event } = received;
        // A gap of all sessions lies between the earlier and the later events of each session.
        const concernsAll = event.session === undefined;
        if (concernsAll) await lanes.idle();
        lanes.push(event.session ?? '', this.#task(received, handlers));
        await (concernsAll ? lanes.idle() : lanes.room());
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#over.abort();
      await settledWithin(lanes.settled(), this.#stopTimeoutMs);
      release();
      await this.#end();
    }
    if (this.#failure) throw this.#failure.error;
  }

  /**
   * Stops reading, waits for running handlers (not for those that have not begun), saves the position, and resolves.
   * Each step takes at most `stopTimeoutMs`: a handler that awaits `stop()` waits for itself. Never rejects. Unhandled
   * events are delivered again when the application listens again.
   */
  async stop(): Promise<void> {
    this.#over.abort();
    if (this.#used) await settledWithin(this.#used, this.#stopTimeoutMs);
    await this.#end();
  }

  get #stopTimeoutMs(): number {
    return this.#options.stopTimeoutMs ?? STOP_TIMEOUT_MS;
  }

  #use(): () => void {
    if (this.#used) throw new Error('a listener can be used only once: call listen() again');
    const use = deferred();
    this.#used = use.promise;
    return use.resolve;
  }

  /** Ends once, however often it is called. */
  #end(): Promise<void> {
    this.#ended ??= this.#saveAndClose();
    return this.#ended;
  }

  async #saveAndClose(): Promise<void> {
    this.#over.abort();
    this.#options.signal?.removeEventListener('abort', this.#stop);
    await settledWithin(this.#close(), this.#stopTimeoutMs);
  }

  async #close(): Promise<void> {
    await this.#saver.close();
    // A store that could not be loaded may be in use by another listener.
    if (!this.#loading) return;
    await this.#loading;
    await this.#store.close?.();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#over.abort();
  }

  /** The events, without repeated and unknown ones. */
  async *#received(events: readonly EventName[] | undefined): AsyncGenerator<Received> {
    const { sessions, waitForSession = false } = this.#options;
    const { signal } = this.#over;
    if (signal.aborted) return;
    const frames = follow(this.#address, {
      path: pathOf(sessions, { ...this.#options, events }),
      after: await this.#start(),
      timing: this.#timing,
      waitForSession,
      signal,
      ...this.#watch(),
    });
    const recent = new BoundedMap<string, true>(RECENT_IDS);
    const session = typeof sessions === 'string' ? sessions : undefined;
    for await (const frame of frames) {
      if (signal.aborted) return; // It was stopped while the previous event was being handled.
      if (frame.kind === 'position') {
        this.#keeper.pass(frame.id);
        continue;
      }
      const name = isEventName(frame.name) ? frame.name : undefined;
      // A gap has the id of the last missing event.
      if (name !== 'gap' && frame.id !== undefined) {
        if (recent.has(frame.id)) continue;
        recent.set(frame.id, true);
      }
      const done = this.#keeper.add(frame.id);
      if (name === undefined) {
        done(); // An event of a newer gateway.
        continue;
      }
      let event: ListenedEvent;
      try {
        event = readEvent(frame, name, session);
      } catch (error) {
        if ((await this.#reportError(error)) !== 'ended') done();
        continue;
      }
      yield { event, length: frame.text.length, done };
    }
  }

  async #start(): Promise<string | undefined> {
    this.#loading = this.#store.load();
    const stored = await unlessAborted(this.#loading, this.#over.signal, () => undefined);
    if (stored !== undefined && !isEventId(stored)) throw new Error('the stored position is not the id of an event');
    const { from = 'now' } = this.#options;
    return stored ?? (from === 'now' ? undefined : from);
  }

  #task({ event, length, done }: Received, handlers: EventHandlers): LaneTask {
    const handler = (handlers[event.name] ?? handlers.any) as ((event: ListenedEvent) => unknown) | undefined;
    const attempt = async (count: number) => {
      const retry = () => ({ inMs: backoffMs(this.#timing.retry, count) });
      try {
        if (handler) await handler(event);
        else if (event.name === 'gap') {
          const outcome = await this.#reportError(new Error(`events are missing (${event.data.reason})`), event);
          if (outcome === 'ended') return retry();
        }
      } catch (error) {
        if ((await this.#reportError(error, event, count)) !== 'skip') return retry();
      }
      done();
      return undefined;
    };
    return { attempt, length };
  }

  /** Reports an error to the application. Never rejects: an error thrown by `onError` ends the listener. */
  async #reportError(error: unknown, event?: ListenedEvent, attempt?: number): Promise<'skip' | 'reported' | 'ended'> {
    const { onError = warn } = this.#options;
    try {
      return (await onError(error, event, attempt)) === 'skip' ? 'skip' : 'reported';
    } catch (thrown) {
      this.#fail(thrown);
      return 'ended';
    }
  }

  /** The connection callbacks of the application; an error thrown by them ends the listener. */
  #watch() {
    const { onConnect, onDisconnect } = this.#options;
    const guarded = (call: () => void) => {
      try {
        call();
      } catch (error) {
        this.#fail(error);
      }
    };
    return {
      onConnect: () => guarded(() => onConnect?.()),
      onDisconnect: (disconnect: Disconnect) => {
        guarded(() => onDisconnect?.(disconnect));
        const { error, failures } = disconnect;
        if (failures === REPORT_AFTER_FAILURES)
          void this.#reportError(new Error(`the event stream failed: ${reasonOf(error)}; retrying`, { cause: error }));
      },
    };
  }
}

/** Why there is no connection; `fetch` says no more than that it has failed, and has the reason as its cause. */
function reasonOf(error: unknown): string {
  if (error === undefined) return 'it ends each stream at once';
  return errorText(error instanceof TypeError && error.cause !== undefined ? error.cause : error);
}

function warn(error: unknown, event?: ListenedEvent, attempt?: number): void {
  const what = event ? ` (${event.name} ${event.id} of ${event.session ?? 'all sessions'})` : '';
  const retry = attempt === undefined ? '' : `; attempt ${attempt}, retrying`;
  console.warn(`chat-web listener: ${errorText(error)}${what}${retry}`);
}

function namesOf(handlers: EventHandlers): EventName[] | undefined {
  if (!handlers.any) return EVENT_NAMES.filter((name) => handlers[name]);
  const optedIn = OPT_IN_EVENTS.filter((name) => handlers[name]);
  return optedIn.length === 0 ? undefined : [...DEFAULT_EVENTS, ...optedIn];
}

function pathOf(sessions: ListenOptions['sessions'], choice: EventChoice): string {
  const path = typeof sessions === 'string' ? `/sessions/${encodeURIComponent(sessions)}/events` : '/events';
  return path + queryOf(choice, typeof sessions === 'object' ? sessions : undefined);
}
