import type { ListenedEvent } from '@chat-web/host';

export interface EventEntry {
  /** Its id, or a unique key if it has none. */
  readonly key: string;
  readonly event: ListenedEvent;
  /** The position before it, to request it from the gateway again. */
  readonly after: string;
}

export interface EventBuffer {
  readonly entries: readonly EventEntry[];
  /** While paused: the newest of the events that have arrived meanwhile. Undefined: not paused. */
  readonly held: readonly EventEntry[] | undefined;
  readonly heldCount: number;
}

/** Older events are dropped. */
export const MAX_EVENTS = 500;

export const EMPTY_BUFFER: EventBuffer = { entries: [], held: undefined, heldCount: 0 };

export function withEvents(buffer: EventBuffer, found: readonly EventEntry[]): EventBuffer {
  const { entries, held, heldCount } = buffer;
  const onTop = (below: readonly EventEntry[]) => [...found.toReversed(), ...below].slice(0, MAX_EVENTS);
  if (held === undefined) return { ...buffer, entries: onTop(entries) };
  return { entries, held: onTop(held), heldCount: heldCount + found.length };
}

/** Pauses the list: it stays unchanged until it is resumed. */
export function paused(buffer: EventBuffer): EventBuffer {
  return { ...buffer, held: buffer.held ?? [] };
}

export function resumed({ entries, held = [] }: EventBuffer): EventBuffer {
  return { entries: [...held, ...entries].slice(0, MAX_EVENTS), held: undefined, heldCount: 0 };
}
