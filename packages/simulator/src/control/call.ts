import * as v from 'valibot';
import type { Network } from '../network/network.ts';
import type { Settings } from '../settings.ts';
import type { Pages } from '../web/pages.ts';
import type { Immutable } from './inputs.ts';

export interface Dependencies {
  readonly network: Network;
  readonly pages: Pages;
  readonly settings: Settings;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Fields = v.GenericSchema<object, object>;

/** The parameters of a path in Hono's notation: `/pages/:pageId/disturb` has `pageId`. */
type Parameters<P extends string> = P extends `${infer First}/${infer Rest}`
  ? Parameters<First> & Parameters<Rest>
  : P extends `:${infer Name}`
    ? { readonly [N in Name]: string }
    : unknown;

/** What a caller passes for these fields: nothing, the value of the only one, or all as an object. */
type FieldArguments<S extends Fields> = S extends { readonly entries: infer E }
  ? [keyof E] extends [never]
    ? []
    : object extends v.InferInput<S>
      ? [fields?: Immutable<v.InferInput<S>>]
      : [Single<Immutable<v.InferInput<S>>>]
  : [fields: Immutable<v.InferInput<S>>];

type Single<T, K extends keyof T = keyof T> = K extends unknown ? ([keyof T] extends [K] ? T[K] : T) : never;

type PathArguments<P extends string> = P extends `${infer First}/${infer Rest}`
  ? [...PathArguments<First>, ...PathArguments<Rest>]
  : P extends `:${string}`
    ? [string]
    : [];

const noFields = v.strictObject({});

/** What the table states of a call besides its method and path. */
interface Row<P extends string, S extends Fields, R> {
  /** Its fields that are not in the path: in the query of a GET, in the JSON body of the others. */
  readonly fields?: S;
  /** For the README: what it does, in Markdown. */
  readonly does: string;
  /** How long the client waits for the answer. Default 10 s. */
  readonly timeoutMs?: number;
  /** Runs it, with valid fields. Returns the JSON answer; `{}` if that is undefined. */
  readonly run: (simulator: Dependencies, parameters: Parameters<P>, fields: v.InferOutput<S>) => R;
}

/** A call of the control API, for the server, the client and the README. */
export interface Call<A extends unknown[] = unknown[], R = unknown> {
  readonly method: Method;
  readonly path: string;
  readonly fields: Fields;
  readonly does: string;
  /** What the client sends for these arguments: the parameters of the path, then the fields. */
  request(...args: A): CallRequest;
  /** Validates the fields from the query or the body, and runs it. Throws a `ValiError` if they are invalid. */
  handle(simulator: Dependencies, parameters: Readonly<Record<string, string>>, fields: unknown): R;
}

/** A call on its way to the server. */
export interface CallRequest {
  readonly method: Method;
  /** With the query. */
  readonly path: string;
  /** Absent for a GET. */
  readonly body?: object;
  readonly timeoutMs: number;
}

export function defineCall<P extends string, R, S extends Fields = typeof noFields>(
  method: Method,
  path: P,
  { fields, does, timeoutMs = 10_000, run }: Row<P, S, R>,
): Call<[...PathArguments<P>, ...FieldArguments<S>], R> {
  const schema = fields ?? (noFields as Fields as S);
  const single = singleFieldOf(schema);
  return {
    method,
    path,
    fields: schema,
    does,
    request(...args: unknown[]) {
      const filled = path.replaceAll(/:\w+/g, () => encodeURIComponent(String(args.shift())));
      const [given] = args;
      const body = single === undefined ? (given ?? {}) : { [single]: given };
      if (method !== 'GET') return { method, path: filled, body, timeoutMs };
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(body)) if (value !== undefined) query.set(name, String(value));
      return { method, path: query.size === 0 ? filled : `${filled}?${query}`, timeoutMs };
    },
    handle(simulator, parameters, sent) {
      // Hono has matched the path, so each of its parameters has a value.
      return run(simulator, parameters as Parameters<P>, v.parse(schema, sent));
    },
  };
}

/** The name of the only field, if it is required. */
function singleFieldOf(schema: Fields): string | undefined {
  if (!('entries' in schema)) return undefined;
  const [first, ...others] = Object.entries(schema.entries as Readonly<Record<string, Fields>>);
  return first && others.length === 0 && first[1].type !== 'optional' ? first[0] : undefined;
}
