import type { EventData, EventName } from '@chat-web/protocol';

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
