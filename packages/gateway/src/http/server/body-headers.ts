import type { IncomingMessage } from 'node:http';

/** A request without these headers has no body. */
export function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** False also for an announced body without bytes. */
export function hasBody(incoming: IncomingMessage): boolean {
  return mayHaveBody(incoming) && incoming.headers['content-length'] !== '0';
}
