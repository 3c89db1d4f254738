import { ask, type GatewayAddress } from '@chat-web/host';

const TIMEOUT_MS = 10_000;

/**
 * The position after all current events, for callers that must not miss a later one. `now` if the gateway does not
 * answer: the stream itself will report that.
 */
export async function journalPosition(address: GatewayAddress, signal: AbortSignal): Promise<string> {
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await ask(address, '/events?limit=1', { headers: { Accept: 'application/json' }, signal: inTime });
    const { next } = (await response.json()) as { readonly next?: string };
    return next ?? 'now';
  } catch {
    return 'now';
  }
}
