/** A map of at most `max` entries: a new one drops the oldest. Setting a known key changes neither age nor order. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    if (this.size > this.#max) {
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    }
    return this;
  }

  /** As `set`, but a known key becomes the newest as well. */
  setNewest(key: K, value: V): this {
    this.delete(key);
    return this.set(key, value);
  }
}

/** The value of a key; a missing one is created and added. */
export function getOrAdd<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
