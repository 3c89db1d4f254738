import { networkOf } from '../host/addresses.ts';

const MINUTE_MS = 60_000;
/** Whoever has more networks than this at hand makes the oldest ones be forgotten: each still starts at the limit. */
const MOST_NETWORKS = 10_000;

interface Count {
  wrong: number;
  readonly endsAt: number;
}

/** Counts wrong tokens by the network that they come from: an IPv4 address, or the /64 of an IPv6 one. */
export class FailureLimit {
  readonly #perMinute: number;
  /** By network; as each is counted for a minute, the oldest are the first to go. */
  readonly #counts = new Map<string, Count>();

  /** `perMinute` 0: no limit. */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** How many networks are remembered. */
  get size(): number {
    return this.#counts.size;
  }

  /** One more wrong token. Returns for how many seconds further ones are refused; 0 within the limit. */
  failed(address: string | undefined, now = performance.now()): number {
    if (this.#perMinute === 0) return 0;
    this.#forgetOld(now);
    const network = address === undefined ? 'this machine' : networkOf(address);
    const count = this.#counts.get(network) ?? { wrong: 0, endsAt: now + MINUTE_MS };
    this.#counts.set(network, count);
    count.wrong += 1;
    return count.wrong > this.#perMinute ? Math.ceil((count.endsAt - now) / 1_000) : 0;
  }

  #forgetOld(now: number): void {
    for (const [network, { endsAt }] of this.#counts) {
      if (endsAt > now && this.#counts.size < MOST_NETWORKS) break;
      this.#counts.delete(network);
    }
  }
}
