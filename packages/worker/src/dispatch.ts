import {
  type Attempt,
  asGatewayError,
  changesSomething,
  type ErrorCode,
  GatewayError,
  isWorkerOperation,
  type WorkerOperationName,
  workerOperations,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { CallTime } from './call-time.ts';
import type { Call, WorkerHandlers } from './client/port.ts';

/** Throws 501 before the operation starts if the page lacks a part that it needs. */
export type AssertSupported = (operation: WorkerOperationName, input: object) => Promise<void>;

/** Of the errors that rows do not list because operations share them, those that arise in a worker. */
const OWN_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'rate_limited',
  'page_unsupported',
  'insufficient_resources',
  'internal_error',
];

/** Errors after which a change may have been made. */
const HIDING_ERRORS: readonly ErrorCode[] = ['session_lost', 'outcome_unknown'];

export interface CallOptions {
  readonly assertSupported: AssertSupported;
  readonly attempt?: Attempt | undefined;
}

/** Runs the handler of one call. Its answer is validated: data from a web page is not trusted. */
export async function dispatch(
  handlers: WorkerHandlers,
  name: string,
  input: unknown,
  { assertSupported, attempt }: CallOptions,
): Promise<unknown> {
  if (!isWorkerOperation(name)) throw new GatewayError('internal_error', `the worker has no operation ${name}`);
  const operation = workerOperations[name];
  const call: Call = { time: new CallTime(operation.timeoutMs, 'keyed' in operation), attempt };
  // The gateway has parsed the input with this row's schemas; it is of the same build as this worker.
  const handler = handlers[name] as (input: unknown, call: Call) => unknown;
  // An unexpected error may follow a change: it must not be reported as if nothing had happened.
  const failure = failureOf(name);
  await assertSupported(name, input as object).catch((error: unknown) => {
    throw asGatewayError(error, 'client_failed');
  });
  let answer: unknown;
  try {
    answer = await handler(input, call);
  } catch (error) {
    throw declared(asGatewayError(error, failure), name);
  }
  const parsed = v.safeParse(operation.answer, answer);
  if (parsed.success) return parsed.output;
  const fields = parsed.issues.map((issue) => v.getDotPath(issue) ?? '(whole)').join(', ');
  throw new GatewayError(failure, `invalid response of the web client to ${name} (${fields})`);
}

/** The error of an operation whose outcome is hidden. */
function failureOf(name: WorkerOperationName): ErrorCode {
  return changesSomething(workerOperations[name]) ? 'outcome_unknown' : 'client_failed';
}

/** An error may have any code, since it may come from the page: one that the row does not declare is not passed on. */
export function declared<E extends { readonly code: ErrorCode; readonly message: string }>(
  error: E,
  name: WorkerOperationName,
): E | GatewayError {
  const { code, message } = error;
  const codes: readonly ErrorCode[] = workerOperations[name].errors;
  if (codes.includes(code) || OWN_ERRORS.includes(code)) return error;
  return new GatewayError(HIDING_ERRORS.includes(code) ? failureOf(name) : 'client_failed', message);
}
