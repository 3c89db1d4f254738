import type { Target } from 'puppeteer';

/**
 * Reports a crash of the page. It attaches before puppeteer hands the page out: if the page crashes until then, the
 * browser reports nothing, and puppeteer's calls that set it up never return.
 */
export class CrashWatch {
  readonly #onCrash: () => void;
  readonly #watched = new Map<Target, Promise<void>>();

  constructor(onCrash: () => void) {
    this.#onCrash = onCrash;
  }

  /** A filter of targets that accepts all. */
  readonly filter = (target: Target): boolean => {
    if (target.type() !== 'page' || this.#watched.has(target)) return true;
    // A target that is closed by now is reported by other events.
    this.#watched.set(
      target,
      this.#watch(target).catch(() => {}),
    );
    return true;
  };

  /**
   * Resolves once the sessions of the watch are open. Puppeteer takes one of two that are opened for a page at once for
   * a new page: no other is to be opened before.
   */
  async attached(): Promise<void> {
    await Promise.all(this.#watched.values());
  }

  async #watch(target: Target): Promise<void> {
    const session = await target.createCDPSession();
    session.on('Inspector.targetCrashed', this.#onCrash);
    await session.send('Inspector.enable'); // Also reports a crash that has happened already.
  }
}
