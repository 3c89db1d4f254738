import type { PageView } from './vitals.ts';

/**
 * Remembers of each capability on which build of the page it last worked, and on which it was first missing: sessions
 * share one page, and what one of them finds tells an operator when it broke.
 */
export class PageHistory {
  readonly #worked = new Map<string, string>();
  readonly #missing = new Map<string, string>();
  #lastWhole: string | undefined;

  /** Takes down what a session has found; the reasons then say since when. */
  note(version: string, degraded: PageView['degraded']): PageView['degraded'] {
    const names = new Set(degraded.map(({ capability }) => capability));
    this.#lastWhole = names.size === 0 ? version : this.#lastWhole;
    for (const name of this.#missing.keys()) if (!names.has(name)) this.#worked.set(name, version);
    for (const name of [...this.#missing.keys()]) if (!names.has(name)) this.#missing.delete(name);
    return degraded.map(({ capability, reason }) => {
      if (!this.#missing.has(capability)) this.#missing.set(capability, version);
      const worked = this.#worked.get(capability) ?? this.#lastWhole;
      const since = `since ${this.#missing.get(capability)}${worked ? `, worked on ${worked}` : ''}`;
      return { capability, reason: `${reason} (${since})` };
    });
  }
}
