import { setMaxListeners } from 'node:events';
import type { Scope } from '@chat-web/protocol';

/** Who asks, and how far they may go. */
export interface Caller {
  /** The id of a key, `token` for the operator's token, `open` where none is asked for. Fit for a log. */
  readonly id: string;
  /** The key that they came with; undefined for the operator. */
  readonly keyId: string | undefined;
  readonly scope: Scope;
  /** Aborts as soon as what they came with no longer holds: their streams end then. */
  readonly signal: AbortSignal;
  /** True for a session that they may know of. */
  sees(sessionId: string): boolean;
}

/** The operator, who may do everything. */
export function operator(id: 'token' | 'open', signal: AbortSignal): Caller {
  return { id, keyId: undefined, scope: 'operator', signal, sees: () => true };
}

/** What ends the callers of one token or key. */
export function callerEnd(): AbortController {
  const end = new AbortController();
  setMaxListeners(0, end.signal); // One for each open stream.
  return end;
}
