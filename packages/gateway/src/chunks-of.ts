/** The items in lists of at most `size`; none without items. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks = [];
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size));
  return chunks;
}
