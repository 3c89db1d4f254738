import * as v from 'valibot';
import type { Example, Operation } from './operation.ts';

/** A whole number in digits. */
export function writtenNumber(min: number, max: number) {
  const range = rangeText(min, max);
  const digits = v.pipe(v.string(), v.regex(/^\d{1,15}$/, range), v.transform(Number));
  return v.pipe(digits, v.minValue(min, range), v.maxValue(max, range));
}

/** A whole number in a query: a number for callers of the client, digits in a URL. */
export function wholeNumber(min: number, max: number) {
  const range = rangeText(min, max);
  const number = v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
  return v.union([number, writtenNumber(min, max)], range);
}

/** A flag in a query: a boolean for callers of the client, `true` or `false` in a URL. */
export const flag = v.union(
  [
    v.boolean(),
    v.pipe(
      v.picklist(['true', 'false']),
      v.transform((written) => written === 'true'),
    ),
  ],
  'must be true or false',
);

function rangeText(min: number, max: number): string {
  return `must be a whole number from ${min} to ${max}`;
}

/** The names of the parameters of an operation's query. */
export function queryNames({ query }: Pick<Operation, 'query'>): readonly string[] {
  return Object.keys((query as { readonly entries?: object } | undefined)?.entries ?? {});
}

/** The fields of an operation's input that are neither in its path nor in its query. */
export function bodyFields(operation: Pick<Operation, 'path' | 'query'>, input: Example): Record<string, unknown> {
  const inPath = operation.path.matchAll(/:(\w+)/g);
  const parameters = new Set([...[...inPath].map(([, name]) => name), ...queryNames(operation)]);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !parameters.has(name)));
}

/** The path of a request with its query. `segmentOf`: encodes a parameter of the path. */
export function pathOf(
  operation: Pick<Operation, 'path' | 'query'>,
  input: Example,
  segmentOf: (name: string, value: unknown) => string,
): string {
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => segmentOf(name, input[name]));
  return path + queryText(Object.fromEntries(queryNames(operation).map((name) => [name, input[name]])));
}

/** The query string of a request, with the question mark; empty without parameters. */
export function queryText(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search.toString()}`;
}
