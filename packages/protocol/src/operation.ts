import type * as v from 'valibot';
import type { ArchiveInput, TakenArchive } from './archive.ts';
import type { ErrorCode } from './errors.ts';
import type { Scope } from './scope.ts';

/** A schema of an object: path parameters and bodies. */
export type ObjectSchema = v.GenericSchema<Record<string, unknown>, Record<string, unknown>>;

/** One operation of the gateway. Everything that handles it, on both sides, is derived from this row. */
export interface Operation {
  /** One line for the reference. */
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In Hono's notation: `/sessions/:id/start`. */
  readonly path: string;
  /** The scope that it needs. */
  readonly scope: Scope;
  /** The path's parameters. */
  readonly params: ObjectSchema;
  /** The parameters of the query, if it takes any: a strict object (see `query.ts`). */
  readonly query?: ObjectSchema;
  /** The JSON body, if there is one. Its fields and all parameters share no name. */
  readonly body?: ObjectSchema;
  /** The same, where a request without a body is as good as one without fields. */
  readonly optionalBody?: ObjectSchema;
  /** It takes an archive of a session as its body, or answers with one: see `archive.ts`. */
  readonly archive?: 'taken' | 'answered';
  readonly answer: v.GenericSchema;
  /**
   * It takes an Idempotency-Key. `choosesMessageId`: true for a body that is sent as one message, whose id is ours to
   * choose, so that it can be found again.
   */
  readonly keyed?: { choosesMessageId(body: Readonly<Record<string, unknown>>): boolean };
  /** The HTTP status of its answer, if not 200. */
  readonly status?: 201;
  /** Its errors, apart from those that any route may answer. */
  readonly errors: readonly ErrorCode[];
  /** The time limit of a request. */
  readonly timeoutMs: number;
}

/** Input of `params`, `query` and `body`: what a caller writes. */
export type OperationInput<O extends Operation> = v.InferInput<O['params']> & QueryInput<O> & BodyInput<O>;
/** Their output, with defaults and normalised recipients: what a handler gets. */
export type HandlerInput<O extends Operation> = v.InferOutput<O['params']> & QueryOutput<O> & BodyOutput<O>;
export type OperationAnswer<O extends Operation> = v.InferOutput<O['answer']>;

type QueryInput<O extends Operation> = O['query'] extends ObjectSchema ? v.InferInput<O['query']> : unknown;
type QueryOutput<O extends Operation> = O['query'] extends ObjectSchema ? v.InferOutput<O['query']> : unknown;

/** The schema of its body; undefined if that is no JSON. */
type BodySchema<O extends Operation> = O['body'] extends ObjectSchema ? O['body'] : O['optionalBody'];
type BodyInput<O extends Operation> =
  BodySchema<O> extends ObjectSchema ? v.InferInput<BodySchema<O>> : OfArchive<O, ArchiveInput>;
type BodyOutput<O extends Operation> =
  BodySchema<O> extends ObjectSchema ? v.InferOutput<BodySchema<O>> : OfArchive<O, TakenArchive>;
type OfArchive<O extends Operation, Archive> = O['archive'] extends 'taken' ? Archive : unknown;

/** True if the operation changes something: the outcome is unknown if its answer is lost. */
export function changesSomething(operation: Operation): boolean {
  return operation.method !== 'GET';
}

/** True if repeating an operation does what doing it once does. `hasKey`: it has an Idempotency-Key. */
export function isRepeatable({ method, keyed, archive }: Operation, hasKey: boolean): boolean {
  if (archive) return false; // A session that is in place would be refused.
  return method === 'GET' || method === 'PUT' || (keyed !== undefined && hasKey);
}
