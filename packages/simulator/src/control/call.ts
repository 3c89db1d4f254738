import * as v from 'valibot';
import type { Network } from '../network/network.ts';
import type { Settings } from '../settings.ts';
import type { Pages } from '../web/pages.ts';
import type { Immutable } from './inputs.ts';

/** The parts of a simulator that calls act on. */
export interface Stage {
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

/** What the table states of a call besides its method and path. */
interface Row<P extends string, S extends Fields, A extends unknown[], R> {
  /** Its fields that are not in the path: in the query of a GET, in the JSON body of the others. */
  readonly fields: S;
  /** For the README: what it does, in Markdown. */
  readonly does: string;
  /** From the arguments of the client's method to all fields. */
  readonly client: (...args: A) => Parameters<P> & Immutable<v.InferInput<S>>;
  /** Runs it, with valid fields. Returns the JSON answer; `{}` if that is undefined. */
  readonly run: (stage: Stage, fields: Parameters<P> & v.InferOutput<S>) => R;
}

/** A call of the control API, for the server, the client and the README. */
export interface Call<A extends unknown[] = unknown[], R = unknown> {
  readonly method: Method;
  readonly path: string;
  readonly fields: Fields;
  readonly does: string;
  /** What the client sends for these arguments. */
  request(...args: A): CallRequest;
  /** Validates the fields from the query or the body, and runs it. Throws a `ValiError` if they are invalid. */
  handle(stage: Stage, parameters: Readonly<Record<string, string>>, fields: unknown): R;
}

/** A call on its way to the server. */
export interface CallRequest {
  readonly method: Method;
  /** With the query. */
  readonly path: string;
  /** Absent for a GET. */
  readonly body?: object;
}

/** Makes a call from its row in the table. */
export function defineCall<P extends string, S extends Fields, A extends unknown[], R>(
  method: Method,
  path: P,
  { fields, does, client, run }: Row<P, S, A, R>,
): Call<A, R> {
  return {
    method,
    path,
    fields,
    does,
    request(...args) {
      const rest = new Map<string, unknown>(Object.entries(client(...args)));
      const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
        const value = String(rest.get(name));
        rest.delete(name);
        return encodeURIComponent(value);
      });
      if (method !== 'GET') return { method, path: filled, body: Object.fromEntries(rest) };
      const query = new URLSearchParams();
      for (const [name, value] of rest) if (value !== undefined) query.set(name, String(value));
      return { method, path: query.size === 0 ? filled : `${filled}?${query}` };
    },
    handle(stage, parameters, sent) {
      // Hono has matched the path, so each of its parameters has a value.
      return run(stage, Object.assign(v.parse(fields, sent), parameters as Parameters<P>));
    },
  };
}
