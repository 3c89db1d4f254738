/** Recursion has to end, and no document of the provider is that deep. */
const MOST_LEVELS = 100;

/**
 * The JSON of a value with the keys of each object in order: equal for values that are equal, however they were written.
 * A value that is nested too deeply for that is equal to no other, nor to itself.
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
