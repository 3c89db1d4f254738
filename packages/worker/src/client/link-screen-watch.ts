import { setTimeout as delay } from 'node:timers/promises';
import type { LinkScreen } from '../page/linking.ts';
import { inTime } from './in-time.ts';

const INTERVAL_MS = 1_500;
const LOOK_TIMEOUT_MS = 10_000;

/** What the watch looks at, and who is told. */
export interface LinkScreenParts {
  /** Reads the screen. May hang or reject: a page that is frozen or reloaded is noticed by others. */
  look(): Promise<LinkScreen>;
  /** False while there is nothing to link: the page is not asked. */
  isLinking(): boolean;
  onScreen(screen: LinkScreen): void;
}

/** Looks every second or so at what a page shows that is to be linked: it does not tell by itself. */
export class LinkScreenWatch {
  readonly #parts: LinkScreenParts;
  readonly #over = new AbortController();

  constructor(parts: LinkScreenParts) {
    this.#parts = parts;
  }

  /** Looks until `stop`. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#over;
    while (await delay(INTERVAL_MS, true, { signal, ref: false }).catch(() => false)) {
      if (!this.#parts.isLinking()) continue;
      const screen = await inTime(this.#parts.look(), LOOK_TIMEOUT_MS);
      if (screen && !signal.aborted && this.#parts.isLinking()) this.#parts.onScreen(screen);
    }
  }

  stop(): void {
    this.#over.abort();
  }
}
