/** Bounds the recursion; no document of the provider is this deep. */
const MOST_LEVELS = 100;

/**
 * The JSON of a value with sorted object keys: equal values have equal texts. A value that is nested too deeply equals
 * no other, not even itself.
 */
export function canonicalJson(value: unknown, level = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (level >= MOST_LEVELS) return `"${crypto.randomUUID()}"`;
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, level + 1)).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item, level + 1)}`);
  return `{${members.join(',')}}`;
}
