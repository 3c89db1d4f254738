import type { DisturbArguments } from '../api.ts';
import type { Call, CallRequest } from './call.ts';
import { calls } from './calls.ts';

/**
 * Plays the phones and the network: one method for each call of the control API, in `calls.ts`. It ends within the time
 * limit of the call, 10 s for most, or rejects with the simulator's own sentence. Messages are named by their stanza id,
 * or by a page's message id.
 */
export type SimulatorClient = {
  readonly [Name in Exclude<keyof typeof calls, 'disturb'>]: (typeof calls)[Name] extends Call<infer Args, infer Answer>
    ? (...args: Args) => Promise<Awaited<Answer>>
    : never;
} & { disturb(pageId: string, ...disturbance: DisturbArguments): Promise<void> };

/** The client of a simulator's control API, in this process or another one. */
export function connectSimulator(controlUrl: string): SimulatorClient {
  const methods = Object.entries<Call>(calls).map(([name, call]) => [
    name,
    async (...args: unknown[]) => send(controlUrl, call.request(...args)),
  ]);
  const disturb = (pageId: string, ...[kind, options]: DisturbArguments) =>
    send(controlUrl, (calls.disturb as Call).request(pageId, { kind, ...options }));
  return { ...Object.fromEntries(methods), disturb } as SimulatorClient;
}

async function send(controlUrl: string, { method, path, body, timeoutMs }: CallRequest): Promise<unknown> {
  const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {};
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(new URL(path, controlUrl), { method, signal, ...init }).catch((cause: unknown) => {
    throw new Error(`no answer from a simulator at ${controlUrl}`, { cause });
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error((answer as { error: string }).error);
  return answer;
}
