import { type EventData, type EventName, errorText, type Metadata } from '@chat-web/protocol';
import * as v from 'valibot';
import { parseEvent } from '../event-stream.ts';
import type { Frame } from './frames.ts';

/** An event that a listener delivers; `name` determines the type of `data`. */
export type ListenedEvent<N extends EventName = EventName> = {
  [K in N]: {
    /**
     * Its position among all events of the gateway; compare ids for equality only. Undefined: it is not stored (`qr`).
     */
    readonly id: string | undefined;
    /** Undefined: a `gap` that concerns all sessions. */
    readonly session: K extends 'gap' ? string | undefined : string;
    /** When it happened, in ISO 8601. Undefined on the stream of one session, which does not include it. */
    readonly at: string | undefined;
    /** What callers have noted on the session. Undefined if nothing, and on the stream of one session. */
    readonly metadata?: Metadata | undefined;
    readonly name: K;
    readonly data: EventData<K>;
  };
}[N];

/**
 * Handlers of events, by name. An event is handled once its handler's result has resolved; an event without a handler
 * is skipped.
 */
export type EventHandlers = { readonly [N in EventName]?: (event: ListenedEvent<N>) => unknown } & {
  /** Receives the events without a handler of their own; opt-in events only if the option `events` names them. */
  readonly any?: (event: ListenedEvent) => unknown;
};

/** The format of an event on the stream of all sessions. */
const envelope = v.object({
  session: v.optional(v.string()),
  metadata: v.optional(v.record(v.string(), v.string())),
  at: v.string(),
  data: v.unknown(),
});

/**
 * Reads an event. `session`: the session of the stream; undefined if each event names its session. If the event is not
 * in the format that this version knows, throws an error without the data in its message; the text is its `cause`.
 */
export function readEvent(
  frame: Extract<Frame, { kind: 'event' }>,
  name: EventName,
  session: string | undefined,
): ListenedEvent {
  const { id, text } = frame;
  try {
    if (session !== undefined)
      return { id, session, at: undefined, ...parseEvent(name, name === 'qr' ? text : JSON.parse(text)) };
    const { session: whose, at, data, ...noted } = v.parse(envelope, JSON.parse(text));
    if (whose === undefined && name !== 'gap') throw new Error('it does not name its session');
    return { id, session: whose, at, ...noted, ...parseEvent(name, data) } as ListenedEvent;
  } catch (error) {
    // The text of a SyntaxError repeats the input.
    const why = error instanceof SyntaxError ? 'it is not JSON' : errorText(error);
    throw new Error(`event ${id} (${name}) was skipped: ${why}`, { cause: text });
  }
}
