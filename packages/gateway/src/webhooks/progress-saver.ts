import type { WebhookEvents } from '../events/webhook-events.ts';
import type { Progress } from './webhook-progress.ts';

// Saved progress is a record of the journal, which is meant for events: at most about 200 bytes a second, and 20 an
// event.
const MIN_SAVE_MS = 1_000;
const MAX_SAVE_MS = 30_000;
const SAVE_MS_PER_BYTE = 5;
const SAVED_BYTES_PER_EVENT = 20;
const MIN_EVENTS_TO_SAVE = 50;
const SAVE_AGAIN_MS = 5_000;
/** Progress over events that are not for this webhook is saved rarely: only so that the position does not expire. */
const SAVE_PASSED_MS = 10 * 60_000;
const MANY_PASSED = 1_000;

interface Dependencies {
  readonly events: Pick<WebhookEvents, 'seqOf'>;
  /** Rejects if that fails now. */
  save(progress: Progress): Promise<void>;
}

export class ProgressSaver {
  readonly #dependencies: Dependencies;
  readonly #progress: () => Progress;
  #timer: NodeJS.Timeout | undefined;
  #passedTimer: NodeJS.Timeout | undefined;
  #isSaving = false;
  #mustSaveAgain = false;
  #unsaved = 0;
  #savedBytes = 0;
  #savedUpTo: string;
  #hasStopped = false;

  constructor(dependencies: Dependencies, { position }: Progress, progress: () => Progress) {
    this.#dependencies = dependencies;
    this.#progress = progress;
    this.#savedUpTo = position;
  }

  delivered(): void {
    this.#unsaved += 1;
    this.changed();
  }

  /** The feed was read up to a position: earlier events were not for this webhook, or are being delivered. */
  passed(position: string): void {
    const { events } = this.#dependencies;
    const passed = events.seqOf(position) - events.seqOf(this.#savedUpTo);
    if (passed >= MANY_PASSED) this.changed();
    else if (passed > 0 && !this.#hasStopped)
      this.#passedTimer ??= setTimeout(() => this.changed(), SAVE_PASSED_MS).unref();
  }

  changed(waitMs = Math.min(Math.max(this.#savedBytes * SAVE_MS_PER_BYTE, MIN_SAVE_MS), MAX_SAVE_MS)): void {
    if (this.#hasStopped) return;
    if (this.#unsaved >= Math.max(MIN_EVENTS_TO_SAVE, this.#savedBytes / SAVED_BYTES_PER_EVENT)) void this.#save();
    else this.#timer ??= setTimeout(() => void this.#save(), waitMs).unref();
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#passedTimer);
  }

  async #save(): Promise<void> {
    clearTimeout(this.#timer);
    clearTimeout(this.#passedTimer);
    this.#timer = this.#passedTimer = undefined;
    this.#mustSaveAgain = this.#isSaving;
    if (this.#isSaving) return;
    this.#isSaving = true;
    const progress = this.#progress();
    this.#savedUpTo = progress.position;
    this.#savedBytes = JSON.stringify(progress).length;
    this.#unsaved = 0;
    const isSaved = await this.#dependencies.save(progress).then(
      () => true,
      () => false,
    );
    this.#isSaving = false;
    if (!isSaved) this.changed(SAVE_AGAIN_MS);
    else if (this.#unsaved > 0 || this.#mustSaveAgain) this.changed();
  }
}
