/** Removes the oldest entries of a map or set, above so many. */
export function dropOldest<K>(
  kept: { readonly size: number; keys(): Iterable<K>; delete(key: K): boolean },
  max: number,
): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(oldest);
  }
}
