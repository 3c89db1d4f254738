import type { HeldMessage } from '../../page/inbox.ts';

/**
 * `deaf`: messages arrived in the page, but its listeners did not report them. `listening`: they reported others.
 * `quiet`: nothing arrived.
 */
export type Hearing = 'deaf' | 'listening' | 'quiet';

/**
 * Detects that the page receives messages without reporting them. A message that is undelivered at one check may still
 * be reported; one that is undelivered at two checks in a row is missed.
 */
export class DeafnessCheck {
  #undelivered: ReadonlySet<string> = new Set();
  #hasReported = false;

  /** The page has reported a message. */
  onReported(): void {
    this.#hasReported = true;
  }

  /** Compares the undelivered messages with those of the previous check. Ignores history that the page has loaded. */
  check(undelivered: readonly HeldMessage[]): { readonly missed: readonly HeldMessage[]; readonly hearing: Hearing } {
    const missed = undelivered.filter(({ id }) => this.#undelivered.has(id));
    const hasReported = this.#hasReported;
    this.#undelivered = new Set(undelivered.map(({ id }) => id));
    this.#hasReported = false;
    if (hasReported) return { missed, hearing: 'listening' };
    return { missed, hearing: missed.some(({ isNew }) => isNew) ? 'deaf' : 'quiet' };
  }
}
