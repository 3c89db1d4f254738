import type { EventData, EventName } from '@chat-web/protocol';

/** An event as a listener hands it on; `name` says which `data` it has. */
export type ListenedEvent<N extends EventName = EventName> = {
  [K in N]: {
    /**
     * Its position among all events of the gateway; compare ids for equality only. Undefined: it is not stored (`qr`).
     */
    readonly id: string | undefined;
    /** Undefined: a `gap` that concerns all sessions. */
    readonly session: K extends 'gap' ? string | undefined : string;
    /** When it happened, in ISO 8601. Undefined on the stream of one session, which does not say. */
    readonly at: string | undefined;
    readonly name: K;
    readonly data: EventData<K>;
  };
}[N];

/**
 * What to do with events, by their names. An event is handled when what its handler returns has settled well; one that
 * has no handler is skipped.
 */
export type EventHandlers = { readonly [N in EventName]?: (event: ListenedEvent<N>) => unknown } & {
  /** Gets the events that have no handler of their own; those that have to be named only if the option `events` does. */
  readonly any?: (event: ListenedEvent) => unknown;
};
