import * as v from 'valibot';
import type { Damage } from '../host/damage.ts';
import { checkpointParts, type Fold } from './folds.ts';
import type { JournalRecord } from './frame.ts';

/**
 * All folds of a journal. A worker can write to the files, whose checksums only show damage: a record that a fold cannot
 * use is skipped. Its error has content, and is not logged.
 */
export class AllFolds {
  readonly #folds: readonly Fold[];
  readonly #damage: Pick<Damage, 'skip'>;

  constructor(folds: readonly Fold[], damage: Pick<Damage, 'skip'>) {
    this.#folds = folds;
    this.#damage = damage;
  }

  /** A record is on disk, now or since an earlier process. */
  apply(record: JournalRecord): void {
    if (record.kind === 'moved') {
      this.restore(record);
      return;
    }
    for (const fold of this.#folds) {
      try {
        fold.apply(record);
      } catch {
        this.#damage.skip(fold.name);
      }
    }
  }

  /** Restores a part of the state of a fold, from a checkpoint or a move. */
  restore({ kind, name, session, text, seq }: JournalRecord): void {
    const fold = this.#folds.find((one) => one.name === name);
    if (!fold) return; // It is not used with these settings.
    try {
      const schema = kind === 'moved' ? (fold.part ?? v.never()) : fold.stored;
      fold.restore(session, v.parse(schema, JSON.parse(text)), seq);
    } catch {
      this.#damage.skip(name);
    }
  }

  /** The state of all folds, in parts, each as JSON. */
  *parts(): Iterable<{ readonly name: string; readonly session: string; readonly text: string }> {
    for (const fold of this.#folds)
      for (const { session, text } of checkpointParts(fold)) yield { name: fold.name, session, text };
  }
}
