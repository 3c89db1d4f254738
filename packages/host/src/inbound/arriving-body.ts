/** A body is not compared with others by its rate before. */
const MIN_AGE_MS = 1_000;

/** A body that is being read. */
export class ArrivingBody {
  /** The network that it comes from; undefined if the adapter does not say. */
  readonly network: string | undefined;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #startedAt = performance.now();
  #bytes = new Uint8Array(0);
  #size = 0;
  #refusal: Response | undefined;

  constructor(stream: ReadableStream<Uint8Array>, network: string | undefined) {
    this.#reader = stream.getReader();
    this.network = network;
  }

  /** The next piece; undefined at the end, or after a refusal. Rejects if the sender disconnects. */
  async next(): Promise<Uint8Array | undefined> {
    const { value } = await this.#reader.read();
    return this.#refusal ? undefined : value;
  }

  /** Adds a piece. Pieces are copied into one buffer: each alone may be a single byte, and would take a hundred. */
  append(piece: Uint8Array, maxBytes: number): void {
    const size = this.#size + piece.byteLength;
    if (size > this.#bytes.byteLength) {
      const larger = new Uint8Array(Math.max(size, Math.min(maxBytes, 2 * this.#bytes.byteLength)));
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#size);
    this.#size = size;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#size);
  }

  get size(): number {
    return this.#size;
  }

  /** The memory that it takes. */
  get heldBytes(): number {
    return this.#bytes.byteLength;
  }

  get isNew(): boolean {
    return performance.now() - this.#startedAt < MIN_AGE_MS;
  }

  /** Since its start. */
  get bytesPerMs(): number {
    return this.#size / (performance.now() - this.#startedAt);
  }

  get refusal(): Response | undefined {
    return this.#refusal;
  }

  /** Ends reading. A failure to cancel the rest does not matter. */
  refuse(response: Response): void {
    this.#refusal ??= response;
    void this.#reader.cancel().catch(() => {});
  }
}

/** True if a body gives way before another: that of a network that has more than its share, then the slower one. */
export function givesWayBefore(
  one: ArrivingBody,
  other: ArrivingBody,
  hasTooMuch: (network: string | undefined) => boolean,
): boolean {
  const [isGreedy, isOtherGreedy] = [hasTooMuch(one.network), hasTooMuch(other.network)];
  if (isGreedy !== isOtherGreedy) return isGreedy;
  // The first pieces of a body may take as long as a connection's first round trips.
  if (one.isNew !== other.isNew) return other.isNew;
  return one.bytesPerMs < other.bytesPerMs;
}

const IPV6_PARTS = 8;

/** The address of an IPv4 sender, or the /64 of an IPv6 sender, in what an adapter such as `@hono/node-server` passes. */
export function networkIn(adapter: unknown): string | undefined {
  const { incoming } = (adapter ?? {}) as { incoming?: { socket?: { remoteAddress?: unknown } } };
  const address = incoming?.socket?.remoteAddress;
  if (typeof address !== 'string') return undefined;
  if (!address.includes(':') || address.includes('.')) return address;
  const [before = [], after = []] = address.split('::').map((parts) => parts.split(':').filter((part) => part !== ''));
  const zeros = Array<string>(Math.max(0, IPV6_PARTS - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].slice(0, IPV6_PARTS / 2).join(':');
}
