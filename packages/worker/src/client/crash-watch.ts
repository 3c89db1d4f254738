import type { Target } from 'puppeteer';

/**
 * Reports a crash of the page. It attaches before puppeteer returns the page: if the page crashes before that, the
 * browser reports nothing, and puppeteer's set-up calls never return.
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
    // Other events report a target that is closed by now.
    this.#watched.set(
      target,
      this.#watch(target).catch(() => {}),
    );
    return true;
  };

  /**
   * Resolves once the sessions of the watch are open. Open no other session before: if two are opened for a page at
   * once, puppeteer takes one of them for a new page.
   */
  async attached(): Promise<void> {
    await Promise.all(this.#watched.values());
  }

  async #watch(target: Target): Promise<void> {
    const session = await target.createCDPSession();
    session.on('Inspector.targetCrashed', this.#onCrash);
    await session.send('Inspector.enable'); // Also reports an earlier crash.
  }
}
