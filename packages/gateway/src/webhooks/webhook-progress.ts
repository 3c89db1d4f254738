import { BoundedMap, type DeadLetter } from '@chat-web/protocol';
import type { Fold } from '../journal/folds.ts';
import { type JournalRecord, note } from '../journal/frame.ts';

/** A session that is delivered separately: an event has failed, or was being delivered. Times are Unix ms. */
export interface Waiting {
  /** The position before its next event. */
  readonly after: string;
  readonly attempts: number;
  readonly nextAt: number;
}

/** Times are Unix ms. */
export interface Progress {
  /** Events up to this position are done, except those of waiting sessions. */
  readonly position: string;
  readonly waiting: Readonly<Record<string, Waiting>>;
  readonly lastSuccessAt?: number;
  /** For how long every attempt has failed, while the gateway ran. */
  readonly failingMs?: number;
  readonly lastFailure?: { readonly at: number; readonly message: string };
}

export interface StoredLetter extends DeadLetter {
  /** The data of a gap, as JSON: it has no record. */
  readonly gap?: string;
}

interface State {
  progress: Progress;
  readonly deadLetters: Map<string, StoredLetter>;
}

/** Above this number, the oldest are dropped. */
const MAX_DEAD_LETTERS = 1_000;

const NOTES = {
  progress: 'webhook_progress',
  dead: 'webhook_dead',
  replayed: 'webhook_replayed',
  removed: 'webhook_removed',
} as const;

/** The progress of each webhook, by its id, derived from the journal. */
export class WebhookProgress implements Fold {
  readonly name = 'webhooks';
  readonly #webhooks = new Map<string, State>();

  apply({ kind, name, session, key, text }: JournalRecord): void {
    if (kind === 'forget') this.#forget(session);
    if (kind !== 'note') return;
    if (name === NOTES.progress) {
      const progress = JSON.parse(text) as Progress; // Ours.
      const known = this.#webhooks.get(key);
      if (known) known.progress = progress;
      else this.#webhooks.set(key, { progress, deadLetters: newLetters() });
    } else if (name === NOTES.dead) {
      const letter = JSON.parse(text) as StoredLetter;
      this.#webhooks.get(key)?.deadLetters.set(letter.id, letter);
    } else if (name === NOTES.replayed) this.#webhooks.get(key)?.deadLetters.delete(text);
    else if (name === NOTES.removed) this.#webhooks.delete(key);
  }

  #forget(session: string): void {
    for (const state of this.#webhooks.values()) {
      const { [session]: _, ...waiting } = state.progress.waiting;
      state.progress = { ...state.progress, waiting };
      for (const [id, letter] of state.deadLetters) if (letter.session === session) state.deadLetters.delete(id);
    }
  }

  get ids(): string[] {
    return [...this.#webhooks.keys()];
  }

  of(id: string): Progress | undefined {
    return this.#webhooks.get(id)?.progress;
  }

  deadLetters(id: string): StoredLetter[] {
    return [...(this.#webhooks.get(id)?.deadLetters.values() ?? [])];
  }

  deadLetter(id: string, eventId: string): StoredLetter | undefined {
    return this.#webhooks.get(id)?.deadLetters.get(eventId);
  }

  sessions(): string[] {
    return [''];
  }

  *partsOf(): Iterable<StoredState> {
    for (const [id, { progress, deadLetters }] of this.#webhooks)
      yield { id, progress, deadLetters: [...deadLetters.values()] };
  }

  restore(_: string, { id, progress, deadLetters }: StoredState): void {
    const letters = newLetters();
    for (const letter of deadLetters) letters.set(letter.id, letter);
    this.#webhooks.set(id, { progress, deadLetters: letters });
  }
}

function newLetters(): State['deadLetters'] {
  return new BoundedMap(MAX_DEAD_LETTERS);
}

interface StoredState {
  readonly id: string;
  readonly progress: Progress;
  readonly deadLetters: readonly StoredLetter[];
}

/** Records that change the state. `id`: of the webhook. */
export const progressNotes = {
  progress: (id: string, progress: Progress) => note('', NOTES.progress, id, JSON.stringify(progress)),
  dead: (id: string, letter: StoredLetter) => note(letter.session ?? '', NOTES.dead, id, JSON.stringify(letter)),
  replayed: (id: string, eventId: string) => note('', NOTES.replayed, id, eventId),
  removed: (id: string) => note('', NOTES.removed, id, ''),
} as const;
