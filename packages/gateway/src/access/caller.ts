import { setMaxListeners } from 'node:events';
import type { Scope } from '@chat-web/protocol';
import { Refusal } from './refusal.ts';

export interface Caller {
  /** A key's id, `token` for the operator's token, `open` if no token is required. Safe to log. */
  readonly id: string;
  /** The caller's key; undefined for the operator. */
  readonly keyId: string | undefined;
  readonly scope: Scope;
  /** The sessions that it may access, as patterns. */
  readonly sessions: readonly string[];
  /**
   * Aborts when the key or token is revoked or expires; the caller's streams end then. The reason is a Refusal: whatever
   * has waited calls `throwIfAborted` before it acts.
   */
  readonly signal: AbortSignal;
  /** How many of the sessions that it may access there may be; undefined: no limit of its own. */
  readonly maxSessions?: number | undefined;
  /** The recipients to whom it may write, as patterns of full ids; undefined: all. */
  readonly recipients?: readonly string[] | undefined;
  /** How many messages it may send within an hour, with each session; undefined: no limit of its own. */
  readonly sendsPerHour?: number | undefined;
  sees(sessionId: string): boolean;
}

/** Who asks for a change of a session; empty for the gateway itself. */
export type Requester = Partial<Pick<Caller, 'keyId' | 'signal' | 'maxSessions' | 'sees'>>;

/** The operator, who has every permission. */
export function operator(id: 'token' | 'open', signal: AbortSignal): Caller {
  return { id, keyId: undefined, scope: 'operator', sessions: ['*'], signal, sees: () => true };
}

export function createRevocation(): AbortController {
  const revocation = new AbortController();
  setMaxListeners(0, revocation.signal); // One per open stream.
  return revocation;
}

export function revoke(revocation: AbortController): void {
  revocation.abort(new Refusal('expired_key', 'the key or token is no longer valid'));
}
