import { setTimeout as delay } from 'node:timers/promises';
import { resultWithin } from '@chat-web/protocol';
import type { LinkScreen } from '../page/linking.ts';

const INTERVAL_MS = 1_500;
const LOOK_TIMEOUT_MS = 10_000;

/** The screen that the watch reads, and its callback. */
export interface LinkScreenParts {
  /** Reads the screen. May hang or reject: frozen and reloaded pages are detected elsewhere. */
  look(): Promise<LinkScreen>;
  /** False while the page is not being linked: it is not read. */
  isLinking(): boolean;
  onScreen(screen: LinkScreen): void;
}

/** Polls the link screen of a page, which does not report changes itself. */
export class LinkScreenWatch {
  readonly #parts: LinkScreenParts;
  readonly #over = new AbortController();

  constructor(parts: LinkScreenParts) {
    this.#parts = parts;
  }

  /** Polls until `stop`. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#over;
    while (await delay(INTERVAL_MS, true, { signal, ref: false }).catch(() => false)) {
      if (!this.#parts.isLinking()) continue;
      const screen = await resultWithin(this.#parts.look(), LOOK_TIMEOUT_MS);
      if (screen && !signal.aborted && this.#parts.isLinking()) this.#parts.onScreen(screen);
    }
  }

  stop(): void {
    this.#over.abort();
  }
}
