import * as v from 'valibot';
import type { Operation } from './operation.ts';

/** A whole number in a query: a number for callers of the client, digits in a URL. */
export function wholeNumber(least: number, most: number) {
  const range = `must be a whole number from ${least} to ${most}`;
  const number = v.pipe(v.number(range), v.integer(range), v.minValue(least, range), v.maxValue(most, range));
  return v.union([number, v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number), number)], range);
}

/** True or false in a query. */
export function flag() {
  const text = v.pipe(
    v.picklist(['true', 'false']),
    v.transform((written) => written === 'true'),
  );
  return v.union([v.boolean(), text], 'must be true or false');
}

/** The names of the parameters of an operation's query. */
export function queryNames({ query }: Pick<Operation, 'query'>): readonly string[] {
  return Object.keys((query as { readonly entries?: object } | undefined)?.entries ?? {});
}

/** The query string of a request, with the question mark; empty without parameters. */
export function queryText(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search.toString()}`;
}
