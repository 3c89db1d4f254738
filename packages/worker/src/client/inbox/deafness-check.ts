import type { HeldMessage } from '../../page/inbox.ts';

/**
 * `deaf`: messages arrived in the page, and its listeners did not report them. `listening`: they reported others.
 * `quiet`: nothing arrived.
 */
export type Hearing = 'deaf' | 'listening' | 'quiet';

/**
 * Notices that the page takes messages in without reporting them. A message that is undelivered at one check may be on
 * its way from the page; one that is undelivered at two checks in a row is missed.
 */
export class DeafnessCheck {
  #undelivered: ReadonlySet<string> = new Set();
  #hasReported = false;

  /** The page has reported a message. */
  onReported(): void {
    this.#hasReported = true;
  }

  /**
   * Compares the undelivered messages with those of the check before. History that the page has loaded proves nothing.
   */
  check(undelivered: readonly HeldMessage[]): { readonly missed: readonly HeldMessage[]; readonly hearing: Hearing } {
    const missed = undelivered.filter(({ id }) => this.#undelivered.has(id));
    const hasReported = this.#hasReported;
    this.#undelivered = new Set(undelivered.map(({ id }) => id));
    this.#hasReported = false;
    if (hasReported) return { missed, hearing: 'listening' };
    return { missed, hearing: missed.some(({ isNew }) => isNew) ? 'deaf' : 'quiet' };
  }
}
