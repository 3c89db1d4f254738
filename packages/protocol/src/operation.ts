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
  readonly scope: Scope;
  readonly params: ObjectSchema;
  /** The parameters of the query, if it takes any: a strict object (see `query.ts`). */
  readonly query?: ObjectSchema;
  /** The JSON body, if there is one. Its fields must not share a name with any parameter. */
  readonly body?: ObjectSchema;
  /** A body that may be absent: that is the same as one without fields. */
  readonly optionalBody?: ObjectSchema;
  /** Takes an archive of a session as its body, or answers with one: see `archive.ts`. */
  readonly archive?: 'taken' | 'answered';
  readonly answer: v.GenericSchema;
  /** The schema of a row of an answer that is a list which may be too long for one message between our processes. */
  readonly row?: v.GenericSchema;
  /** The handler can also describe its media, without loading them: with `describe` in its input. */
  readonly describes?: true;
  /**
   * Takes an Idempotency-Key. `choosesMessageId`: true for a body that is sent as one message: the gateway chooses its
   * id, so that the message can be found again. `isHarmlessTwice`: true for a body that can be carried out again without
   * another effect.
   */
  readonly keyed?: {
    choosesMessageId(body: Readonly<Record<string, unknown>>): boolean;
    isHarmlessTwice?(body: Readonly<Record<string, unknown>>): boolean;
  };
  /** Tools of agents that call it, by their names. */
  readonly tools?: Readonly<Record<string, Tool>>;
  /** The HTTP status of its answer, if it is not 200. */
  readonly status?: 201;
  /** Its errors, apart from those of every route. */
  readonly errors: readonly ErrorCode[];
  /** The time limit of a request. */
  readonly timeoutMs: number;
  /**
   * Inputs by their titles in the reference. Each works unchanged on the demo, unless another has removed what it names,
   * with these exceptions: `numbersExist` is 429 for ten minutes after a link; `setProfileName` is 403, because the
   * demo's account is a business, which labels need; `unfollowChannel` needs `followChannel` first; `logoutSession`
   * needs `spare` to be linked. The ids of keys and webhooks, and the session `elsewhere`, stand for your own.
   */
  readonly examples: Readonly<Record<string, Example>>;
}

/** What an agent may give to an operation. */
export interface Tool {
  /** Default: the summary of the operation. */
  readonly description?: string;
  /** The fields of the input that the agent gives, besides the session. Default: all. */
  readonly fields?: readonly string[];
  /** Values of other fields. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** It changes what was sent before. */
  readonly isDestructive?: true;
  /** Values of fields that the agent does not give. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** An input of an operation: parameters of its path and query, and fields of its body. */
export type Example = Readonly<Record<string, unknown>>;

/** Input of `params`, `query` and `body`: what a caller writes. */
export type OperationInput<O extends Operation> = v.InferInput<O['params']> & QueryInput<O> & BodyInput<O>;
/** Its output, with defaults and normalised recipients: the input of a handler. */
export type HandlerInput<O extends Operation> = v.InferOutput<O['params']> &
  QueryOutput<O> &
  BodyOutput<O> &
  (O['describes'] extends true ? { readonly describe?: boolean } : unknown);
export type OperationAnswer<O extends Operation> = v.InferOutput<O['answer']>;

type QueryInput<O extends Operation> = O['query'] extends ObjectSchema ? v.InferInput<O['query']> : unknown;
type QueryOutput<O extends Operation> = O['query'] extends ObjectSchema ? v.InferOutput<O['query']> : unknown;

/** The schema of its body; undefined if the body is not JSON. */
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

/** True if repeating an operation has no further effect. `hasKey`: it has an Idempotency-Key. */
export function isRepeatable({ method, keyed, archive }: Operation, hasKey: boolean): boolean {
  if (archive) return false; // A session that is already imported would be refused.
  return method === 'GET' || method === 'PUT' || (keyed !== undefined && hasKey);
}
