import type { Refused } from '../models.ts';

/** The status code if an error is a refusal of the network; undefined for an error of the page. */
export function refusal(error: unknown): number | undefined {
  const { status, statusCode, name } = (error ?? {}) as Record<string, unknown>;
  const code = Number(status ?? statusCode);
  if (Number.isFinite(code) && code > 0) return code;
  return name === 'ServerStatusCodeError' ? 400 : undefined;
}

/** A refusal of the network as a result; rethrows an error of the page. */
export function refusedBy(error: unknown): Refused {
  const refused = refusal(error);
  if (refused === undefined) throw error;
  return { refused };
}

/** The outcome of a request, by the status in its answer: no status means success. */
export function byStatus(answer: { readonly status?: unknown } | undefined): 'ok' | Refused {
  const status = Number(answer?.status ?? 200);
  return status === 200 ? 'ok' : { refused: status };
}
