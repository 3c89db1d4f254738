import { BoundedMap, getOrAdd, MINUTE_MS } from '@chat-web/protocol';
import { networkOf } from '../host/addresses.ts';

/** Bounds memory: beyond this, the oldest networks are dropped and start counting again. */
const MAX_NETWORKS = 10_000;

interface Count {
  wrong: number;
  readonly endsAt: number;
}

/** Counts wrong tokens per network: an IPv4 address, or the /64 of an IPv6 address. */
export class FailureLimit {
  readonly #perMinute: number;
  /** By network, oldest first: each entry lasts one minute. */
  readonly #counts = new BoundedMap<string, Count>(MAX_NETWORKS);

  /** `perMinute` 0: no limit. */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Counts a wrong token. Returns how many seconds further ones are refused for; 0 within the limit. */
  failed(address: string | undefined, now = performance.now()): number {
    if (this.#perMinute === 0) return 0;
    this.#forgetOld(now);
    const network = address === undefined ? 'this machine' : networkOf(address);
    const count = getOrAdd(this.#counts, network, () => ({ wrong: 0, endsAt: now + MINUTE_MS }));
    count.wrong += 1;
    return count.wrong > this.#perMinute ? Math.ceil((count.endsAt - now) / 1_000) : 0;
  }

  #forgetOld(now: number): void {
    for (const [network, { endsAt }] of this.#counts) {
      if (endsAt > now) break;
      this.#counts.delete(network);
    }
  }
}
