import {
  answersMedia,
  asGatewayError,
  errorTable,
  errorText,
  isWorkerOperation,
  type MediaFile,
  type Operation,
} from '@chat-web/protocol';
import type { Context } from 'hono';
import type { Caller } from '../access/caller.ts';
import { type Log, withoutNumbers } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Admission } from './admission.ts';
import { jsonAnswer } from './json-answer.ts';
import { mediaResponse } from './media-response.ts';
import { type InputOptions, parseParams, withBody } from './request-input.ts';
import { onResponseClose } from './response-close.ts';
import type { Route, ServerEnv } from './server-env.ts';

/** Handles the parsed input of an operation. */
export type AnyHandler = (input: Record<string, unknown>, caller: Caller) => unknown;

/** Options shared by all operation routes. */
export interface RouteOptions extends InputOptions {
  readonly metrics: Pick<Metrics, 'answered'>;
  readonly admission: Admission;
  readonly log: Log;
}

/** The route of one operation: parses the input, answers, logs one line and counts the request. */
export function operationRoute(name: string, operation: Operation, handler: AnyHandler, options: RouteOptions): Route {
  const { admission, log, metrics, spool } = options;
  const level = operation.method === 'GET' ? 'debug' : 'info';
  const isForwarded = isWorkerOperation(name);

  async function respond(c: Context<ServerEnv>, input: Record<string, unknown>, startedAt: number): Promise<Response> {
    const fields = { operation: name, session: input.id };
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      // Files fetched by a worker use the spool, too.
      if (answersMedia(operation) || input.url !== undefined) await spool.assertRoom(String(input.id));
      const answer = await handler(input, c.get('caller'));
      log[level]({ ...fields, ms: ms() }, 'request answered');
      if (operation.status === 201) c.header('Location', `${c.req.path}/${(answer as { readonly id: string }).id}`);
      if (!answersMedia(operation)) return jsonAnswer(c, answer, operation.status ?? 200);
      return answer
        ? await mediaResponse(c.req.method, String(input.id), answer as MediaFile, spool)
        : c.body(null, 204);
    } catch (error) {
      const { code, message } = asGatewayError(error, 'internal_error');
      const severity = errorTable[code].status >= 500 ? 'warn' : level;
      log[severity]({ ...fields, ms: ms(), code, error: withoutNumbers(message) }, 'request refused');
      throw error;
    }
  }

  return async (c) => {
    const startedAt = performance.now();
    const count = (status: number) => metrics.answered(name, status, performance.now() - startedAt);
    let leave: (() => void) | undefined;
    try {
      // Not counted for operations without a worker: an overloaded session can still be inspected, stopped and
      // restarted.
      const session = isForwarded ? c.req.param('id') : undefined;
      leave = admission.enter(session, c.get('caller').keyId);
      const params = parseParams(c.req.param(), operation.params); // Before a body of any size is read.
      const response = operation.body
        ? await withBody(c, operation.body, options, (body) => respond(c, { ...params, ...body }, startedAt))
        : await respond(c, params, startedAt);
      count(response.status);
      return response;
    } catch (error) {
      count(errorTable[asGatewayError(error, 'internal_error').code].status);
      throw error instanceof Error ? error : new Error(errorText(error)); // Hono answers no other.
    } finally {
      if (leave) onResponseClose(c.env.outgoing, leave);
    }
  };
}
