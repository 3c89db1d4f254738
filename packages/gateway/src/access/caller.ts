import { setMaxListeners } from 'node:events';

/** Who asks, and how far they may go. */
export interface Caller {
  /** `token` for the operator's, `open` where none is asked for. Fit for a log. */
  readonly id: string;
  /** Aborts as soon as what they came with no longer holds: their streams end then. */
  readonly signal: AbortSignal;
}

/** What ends the callers of one token or key. */
export function callerEnd(): AbortController {
  const end = new AbortController();
  setMaxListeners(0, end.signal); // One for each open stream.
  return end;
}
