import type * as v from 'valibot';
import type { ErrorCode } from './errors.ts';
import type { Scope } from './scope.ts';

/** A schema that takes an object: path parameters, and bodies. */
export type ObjectSchema = v.GenericSchema<Record<string, unknown>, Record<string, unknown>>;

/** One operation of the gateway. Everything that handles it, on either side, is derived from this row. */
export interface Operation {
  /** What it does, in one line, for the reference. */
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In Hono's notation: `/sessions/:id/start`. */
  readonly path: string;
  /** How far a caller must be allowed to go for it. */
  readonly scope: Scope;
  /** The path's parameters. */
  readonly params: ObjectSchema;
  /** The JSON body; absent where the operation takes none. Its fields and the parameters share no name. */
  readonly body?: ObjectSchema;
  readonly answer: v.GenericSchema;
  /** The HTTP status of its answer, where that is not 200. */
  readonly status?: 201;
  /** What it may answer beyond the errors that any route may answer. */
  readonly errors: readonly ErrorCode[];
  /** How long a caller waits at most. */
  readonly timeoutMs: number;
}

/** What `params` and `body` hold before their schemas have run: what a caller writes. */
export type OperationInput<O extends Operation> = v.InferInput<O['params']> & BodyInput<O>;
/** What they hold after: defaults filled in, recipients normalised. What a handler gets. */
export type HandlerInput<O extends Operation> = v.InferOutput<O['params']> & BodyOutput<O>;
export type OperationAnswer<O extends Operation> = v.InferOutput<O['answer']>;

type BodyInput<O extends Operation> = O['body'] extends ObjectSchema ? v.InferInput<O['body']> : unknown;
type BodyOutput<O extends Operation> = O['body'] extends ObjectSchema ? v.InferOutput<O['body']> : unknown;

/** True if the operation changes something, so that a lost answer leaves its outcome unknown. */
export function changesSomething(operation: Operation): boolean {
  return operation.method !== 'GET';
}
