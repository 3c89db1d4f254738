import { asGatewayError, errorTable, type Operation } from '@chat-web/protocol';
import type { Context, Handler } from 'hono';
import type { Log } from '../log.ts';
import { parseInput } from './request-input.ts';

/** What answers an operation once its input is parsed. */
export type AnyHandler = (input: Record<string, unknown>) => unknown;

/** What every route needs beside its row and its handler. */
export interface RouteOptions {
  readonly maxBodyBytes: number;
  readonly log: Log;
}

/** The route of one operation: parse, answer, one line in the log. */
export function operationRoute(
  name: string,
  operation: Operation,
  handler: AnyHandler,
  { maxBodyBytes, log }: RouteOptions,
): Handler {
  const level = operation.method === 'GET' ? 'debug' : 'info';
  return async (c: Context) => {
    const startedAt = performance.now();
    const input = await parseInput(c, operation, maxBodyBytes);
    const told = { operation: name, session: input.id };
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      const answer = await handler(input);
      log[level]({ ...told, ms: ms() }, 'answered');
      return c.json(answer as object);
    } catch (error) {
      const { code, message } = asGatewayError(error, 'internal_error');
      log[errorTable[code].status >= 500 ? 'warn' : level]({ ...told, ms: ms(), code, reason: message }, 'refused');
      throw error;
    }
  };
}
