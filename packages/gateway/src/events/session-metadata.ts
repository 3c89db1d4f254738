import { type Metadata, metadata } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold, MovingState } from '../journal/folds.ts';
import { type JournalRecord, type NewRecord, note } from '../journal/frame.ts';

const METADATA = 'session_metadata';

/** What callers have noted on each session, derived from the journal. It ends with the session. */
export class SessionMetadata implements Fold, MovingState {
  readonly name = 'metadata';
  readonly part = metadata;
  readonly stored = metadata;
  /** As JSON, in which each event of the session has it. */
  readonly #texts = new Map<string, string>();

  apply({ kind, name, session, text }: JournalRecord): void {
    if (kind === 'forget') this.#texts.delete(session);
    if (kind === 'note' && name === METADATA) this.restore(session, v.parse(metadata, JSON.parse(text)));
  }

  restore(session: string, pairs: Metadata): void {
    const text = JSON.stringify(pairs);
    if (text === EMPTY) this.#texts.delete(session);
    else this.#texts.set(session, text);
  }

  /** Undefined if there is none. */
  textOf(session: string): string | undefined {
    return this.#texts.get(session);
  }

  of(session: string): Metadata | undefined {
    const text = this.textOf(session);
    return text === undefined ? undefined : (JSON.parse(text) as Metadata);
  }

  sessions(): Iterable<string> {
    return this.#texts.keys();
  }

  partsOf(session: string): Metadata[] {
    const pairs = this.of(session);
    return pairs ? [pairs] : [];
  }
}

const EMPTY = '{}';

/** The record that replaces the metadata of a session. */
export function metadataNote(session: string, pairs: Metadata): NewRecord {
  return note(session, METADATA, '', JSON.stringify(pairs));
}
