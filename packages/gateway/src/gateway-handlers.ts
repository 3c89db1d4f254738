import { GatewayError, type GatewayOperationName, type Handlers, operations } from '@chat-web/protocol';
import type { Session } from './sessions/session.ts';
import { viewOf } from './sessions/session-view.ts';
import type { Supervisor } from './sessions/supervisor.ts';

/** Handlers of the operations that the gateway answers by itself. */
export function gatewayHandlers(supervisor: Supervisor): Handlers<GatewayOperationName> {
  return {
    listSessions: () => ({
      sessions: supervisor.list().map(viewOf),
    }),

    startSession: async ({ id }) => {
      const deadline = Date.now() + operations.startSession.timeoutMs;
      const session = await supervisor.start(id);
      await session.settled(deadline - Date.now());
      return startedView(session);
    },

    restartSession: async ({ id }) => {
      const deadline = Date.now() + operations.restartSession.timeoutMs;
      const session = await supervisor.restart(id);
      await session.up(deadline - Date.now());
      return startedView(session);
    },

    stopSession: async ({ id }) => {
      await supervisor.stop(id);
      return { id, status: 'stopped' };
    },

    deleteSession: async ({ id }) => {
      await supervisor.remove(id);
      return { id, status: 'removed' };
    },

    getQr: ({ id }) => {
      const { state } = supervisor.find(id);
      if (state.status === 'qr') return { id, status: 'qr', qr: state.qr };
      throw new GatewayError('qr_not_available', `session ${id} shows no QR (it is ${state.status})`);
    },

    getSessionStatus: ({ id }) => viewOf(supervisor.find(id)),

    getSessionInfo: ({ id }) => {
      const { state } = supervisor.find(id);
      if (state.status === 'ready') return state.info;
      throw new GatewayError('session_not_ready', `session ${id} is not ready (it is ${state.status})`);
    },
  };
}

function startedView(session: Session) {
  const { id, status, reason, nextAttemptAt } = viewOf(session);
  const { state } = session;
  return {
    ...{ id, status, ...(state.status === 'qr' ? { qr: state.qr } : {}) },
    ...(reason ? { reason } : {}),
    ...(nextAttemptAt ? { nextAttemptAt } : {}),
  };
}
