import type { ListenedEvent } from '@chat-web/host';

/** An event in the list. */
export interface EventEntry {
  /** Its id, or another one for each that has none. */
  readonly key: string;
  readonly event: ListenedEvent;
  /** The position that it follows, to ask the gateway for it again. */
  readonly after: string;
}

/** The newest events, newest first. */
export interface EventBuffer {
  readonly entries: readonly EventEntry[];
  /** While it is paused: the newest of those that have come meanwhile. Undefined: it is not. */
  readonly held: readonly EventEntry[] | undefined;
  /** How many have come meanwhile. */
  readonly heldCount: number;
}

/** Older events drop off. */
export const MAX_EVENTS = 500;

/** A list without events, which goes on. */
export const EMPTY_BUFFER: EventBuffer = { entries: [], held: undefined, heldCount: 0 };

/** The same list with further events, given oldest first. */
export function withEvents(buffer: EventBuffer, found: readonly EventEntry[]): EventBuffer {
  const { entries, held, heldCount } = buffer;
  const onTop = (below: readonly EventEntry[]) => [...found.toReversed(), ...below].slice(0, MAX_EVENTS);
  if (held === undefined) return { ...buffer, entries: onTop(entries) };
  return { entries, held: onTop(held), heldCount: heldCount + found.length };
}

/** The same list, which stays as it is until it goes on. */
export function paused(buffer: EventBuffer): EventBuffer {
  return { ...buffer, held: buffer.held ?? [] };
}

/** The same list with what has come meanwhile. */
export function resumed({ entries, held = [] }: EventBuffer): EventBuffer {
  return { entries: [...held, ...entries].slice(0, MAX_EVENTS), held: undefined, heldCount: 0 };
}
