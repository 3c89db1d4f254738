import {
  asGatewayError,
  changesSomething,
  GatewayError,
  type Handlers,
  isWorkerOperation,
  type WorkerOperationName,
  workerOperations,
} from '@chat-web/protocol';
import * as v from 'valibot';

/** Makes sure, before anything is done, that the page can do what an operation needs. */
export type AssertSupported = (operation: WorkerOperationName, input: object) => Promise<void>;

/** Runs the handler of one call. The answer is checked: what comes out of a web page is the least trustworthy data here. */
export async function dispatch(
  handlers: Handlers<WorkerOperationName>,
  name: string,
  input: unknown,
  assertSupported: AssertSupported,
): Promise<unknown> {
  if (!isWorkerOperation(name)) throw new GatewayError('internal_error', `the worker has no operation ${name}`);
  const operation = workerOperations[name];
  // The gateway has parsed the input with this row's own schemas; it is the same build as this worker.
  const handler = handlers[name] as (input: unknown) => unknown;
  let answer: unknown;
  try {
    await assertSupported(name, input as object);
    answer = await handler(input);
  } catch (error) {
    throw asGatewayError(error, 'client_failed');
  }
  const parsed = v.safeParse(operation.answer, answer);
  if (parsed.success) return parsed.output;
  const fields = parsed.issues.map((issue) => v.getDotPath(issue) ?? '(whole)').join(', ');
  throw new GatewayError(
    changesSomething(operation) ? 'outcome_unknown' : 'client_failed',
    `invalid answer of the web client to ${name} (${fields})`,
  );
}
