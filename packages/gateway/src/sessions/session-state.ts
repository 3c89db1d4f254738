import type { SessionEvent, SessionInfo } from '@chat-web/protocol';

/**
 * Where a session stands.
 *
 * - `stopped`: nothing runs. With saved auth it is still listed; without, it is unknown. `reason`: nobody asked for it.
 * - `starting`: its worker and browser are booting, or wait for their turn; `reason` tells of an attempt that failed.
 * - `qr`: the page shows a QR that nobody has scanned yet.
 * - `authenticating`: the account is linked, and the page is coming up.
 * - `ready`: messages go out and come in.
 * - `disconnected`: it was up, and the gateway is bringing it back by itself.
 * - `failed`: the gateway has given up; only a start by hand goes on from here.
 */
export type SessionState =
  | { readonly status: 'stopped'; readonly reason?: string }
  | { readonly status: 'starting'; readonly reason?: string }
  | { readonly status: 'qr'; readonly qr: string }
  | { readonly status: 'authenticating' }
  | { readonly status: 'ready'; readonly info: SessionInfo }
  | { readonly status: 'disconnected'; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string };

/** What can happen to a session. */
export type StateEvent =
  | { readonly type: 'start' }
  | { readonly type: 'qr'; readonly qr: string }
  | { readonly type: 'authenticating' }
  | { readonly type: 'ready'; readonly info: SessionInfo }
  | { readonly type: 'connection_lost'; readonly reason: string }
  | { readonly type: 'unlinked' }
  /** Its worker ended unasked, and another will be started. */
  | { readonly type: 'crashed'; readonly reason: string }
  | { readonly type: 'gave_up'; readonly reason: string }
  | { readonly type: 'stop'; readonly reason?: string | undefined };

/** True while something runs, or is being brought back, for the session. */
export function isRunning({ status }: SessionState): boolean {
  return status !== 'stopped' && status !== 'failed';
}

/** The state that follows. Pure: what is to be done about it is the session's business. */
export function next(state: SessionState, event: StateEvent): SessionState {
  if (event.type === 'start') return isRunning(state) ? state : { status: 'starting' };
  if (event.type === 'stop') return event.reason ? { status: 'stopped', reason: event.reason } : { status: 'stopped' };
  if (!isRunning(state)) return state; // A late word of something that has ended.
  switch (event.type) {
    case 'qr':
      return { status: 'qr', qr: event.qr };
    case 'authenticating':
      return state.status === 'ready' ? state : { status: 'authenticating' };
    case 'ready':
      return { status: 'ready', info: event.info };
    case 'connection_lost':
      return wasUp(state) ? { status: 'disconnected', reason: event.reason } : state;
    case 'unlinked':
      return { status: 'disconnected', reason: 'LOGOUT' };
    case 'crashed':
      return wasUp(state)
        ? { status: 'disconnected', reason: event.reason }
        : { status: 'starting', reason: event.reason };
    case 'gave_up':
      return { status: 'failed', reason: event.reason };
  }
}

function wasUp({ status }: SessionState): boolean {
  return status === 'ready' || status === 'authenticating' || status === 'disconnected';
}

/** What the session's stream is told of a change of state. */
export function eventsOf(before: SessionState, after: SessionState): SessionEvent[] {
  if (after.status === 'qr') {
    return before.status === 'qr' && before.qr === after.qr ? [] : [{ name: 'qr', data: after.qr }];
  }
  if (after.status === 'ready') {
    const { pushname, wid, phone } = after.info;
    return before.status === 'ready' ? [] : [{ name: 'ready', data: { pushname, wid, phone } }];
  }
  const reason = 'reason' in after && after.reason ? after.reason : 'STOPPED';
  const wasTold = 'reason' in before && before.reason === reason;
  const isNews =
    before.status === 'ready' ||
    after.status === 'failed' ||
    reason === 'LOGOUT' ||
    (after.status === 'stopped' && after.reason !== undefined);
  return isNews && !wasTold ? [{ name: 'disconnected', data: { reason } }] : [];
}
