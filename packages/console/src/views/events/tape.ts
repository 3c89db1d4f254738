import type { ListenedEvent } from '@chat-web/host';

/** An event in the list. */
export interface TapeEntry {
  /** Its id, or another one for each that has none. */
  readonly key: string;
  readonly event: ListenedEvent;
  /** The position that it follows, to ask the gateway for it again. */
  readonly after: string;
}

/** The newest events, newest first. */
export interface Tape {
  readonly entries: readonly TapeEntry[];
  /** While it is paused: the newest of those that have come meanwhile. Undefined: it is not. */
  readonly held: readonly TapeEntry[] | undefined;
  /** How many have come meanwhile. */
  readonly heldCount: number;
}

/** Older events drop off. */
export const MOST_EVENTS = 500;

/** A list without events, which goes on. */
export const EMPTY_TAPE: Tape = { entries: [], held: undefined, heldCount: 0 };

/** The same list with further events, given oldest first. */
export function withEvents(tape: Tape, found: readonly TapeEntry[]): Tape {
  const { entries, held, heldCount } = tape;
  const onTop = (below: readonly TapeEntry[]) => [...found.toReversed(), ...below].slice(0, MOST_EVENTS);
  if (held === undefined) return { ...tape, entries: onTop(entries) };
  return { entries, held: onTop(held), heldCount: heldCount + found.length };
}

/** The same list, which stays as it is until it goes on. */
export function paused(tape: Tape): Tape {
  return { ...tape, held: tape.held ?? [] };
}

/** The same list with what has come meanwhile. */
export function goneOn({ entries, held = [] }: Tape): Tape {
  return { entries: [...held, ...entries].slice(0, MOST_EVENTS), held: undefined, heldCount: 0 };
}
