import { BoundedMap, type DeadLetter, listOf, sessionId, webhookId, writtenTime } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Fold } from '../journal/folds.ts';
import { hasData, type NewRecord, note } from '../journal/frame.ts';

/** A session that is delivered separately: an event has failed, or was being delivered. Times are Unix ms. */
export interface Waiting {
  readonly session: string;
  /** The position before its next event. */
  readonly after: string;
  readonly attempts: number;
  readonly nextAt: number;
}

/** Times are Unix ms. */
export interface Progress {
  /** Events up to this position are done, except those of waiting sessions. */
  readonly position: string;
  readonly waiting: readonly Waiting[];
  readonly lastSuccessAt?: number | undefined;
  /** For how long every attempt has failed, while the gateway ran. */
  readonly failingMs?: number | undefined;
  readonly lastFailure?: { readonly at: number; readonly message: string } | undefined;
}

export interface StoredLetter extends DeadLetter {
  /** The data of a gap, as JSON: it has no record. */
  readonly gap?: string | undefined;
}

interface State {
  progress: Progress;
  readonly deadLetters: Map<string, StoredLetter>;
}

/** Above this number, the oldest are dropped. */
const MAX_DEAD_LETTERS = 1_000;
/** More than there can be. */
const MAX_REMEMBERED_WEBHOOKS = 1_000;
const MAX_WAITING = 10_000;

const short = v.pipe(v.string(), v.maxLength(100));
const sentence = v.pipe(v.string(), v.maxLength(2_000));
/** Unix time in ms that a `Date` can have. */
const time = v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e15));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const storedProgress = v.strictObject({
  position: short,
  waiting: v.pipe(
    listOf(v.strictObject({ session: sessionId, after: short, attempts: count, nextAt: time }), MAX_WAITING),
    v.readonly(),
  ),
  lastSuccessAt: v.optional(time),
  failingMs: v.optional(v.pipe(v.number(), v.minValue(0))),
  lastFailure: v.optional(v.strictObject({ at: time, message: sentence })),
});
const storedLetter = v.strictObject({
  id: v.pipe(v.string(), v.maxLength(200)),
  event: short,
  session: v.optional(sessionId),
  at: writtenTime,
  attempts: count,
  message: sentence,
  gap: v.optional(
    v.pipe(
      sentence,
      v.check((text) => hasData({ text })),
    ),
  ),
});
const storedState = v.strictObject({
  id: webhookId,
  progress: storedProgress,
  deadLetters: listOf(storedLetter, MAX_DEAD_LETTERS),
});

export const NOTES = {
  progress: 'webhook_progress',
  dead: 'webhook_dead',
  replayed: 'webhook_replayed',
  removed: 'webhook_removed',
} as const;

/** The progress of each webhook, by its id, derived from the journal. */
export class WebhookProgress implements Fold {
  readonly name = 'webhooks';
  readonly stored = storedState;
  readonly #webhooks = new BoundedMap<string, State>(MAX_REMEMBERED_WEBHOOKS);

  apply({ kind, name, session, key, text }: NewRecord): void {
    if (kind === 'forget') this.#forget(session);
    if (kind !== 'note') return;
    if (name === NOTES.progress) {
      const progress = v.parse(storedProgress, JSON.parse(text));
      const known = this.#webhooks.get(key);
      if (known) known.progress = progress;
      else this.#webhooks.set(v.parse(webhookId, key), { progress, deadLetters: newLetters() });
    } else if (name === NOTES.dead) {
      const letter = v.parse(storedLetter, JSON.parse(text));
      this.#webhooks.get(key)?.deadLetters.set(letter.id, letter);
    } else if (name === NOTES.replayed) this.#webhooks.get(key)?.deadLetters.delete(text);
    else if (name === NOTES.removed) this.#webhooks.delete(key);
  }

  #forget(session: string): void {
    for (const state of this.#webhooks.values()) {
      const waiting = state.progress.waiting.filter((one) => one.session !== session);
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

type StoredState = v.InferOutput<typeof storedState>;

/** Records that change the state. `id`: of the webhook. */
export const progressNotes = {
  progress: (id: string, progress: Progress) => note('', NOTES.progress, id, JSON.stringify(progress)),
  dead: (id: string, letter: StoredLetter) => note(letter.session ?? '', NOTES.dead, id, JSON.stringify(letter)),
  replayed: (id: string, eventId: string) => note('', NOTES.replayed, id, eventId),
  removed: (id: string) => note('', NOTES.removed, id, ''),
} as const;
