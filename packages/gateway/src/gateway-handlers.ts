import {
  type GatewayOperationName,
  type Handlers,
  invalidRequest,
  type OperationName,
  operations,
  type SendAttempt,
  type WorkerOperationName,
  workerOperations,
} from '@chat-web/protocol';
import type { Caller } from './access/caller.ts';
import type { EventTickets } from './access/event-tickets.ts';
import type { Keys } from './access/keys.ts';
import { Refusal } from './access/refusal.ts';
import type { Cluster } from './cluster/cluster.ts';
import { type Config, version } from './config.ts';
import type { AnyHandler } from './http/operation-route.ts';
import type { HostHistory } from './monitoring/host-history.ts';
import type { Mover } from './moving/mover.ts';
import type { PacedInput, Pacing } from './sends/pacing.ts';
import type { Session } from './sessions/session.ts';
import { countsByStatus, unsandboxedOf, viewOf } from './sessions/session-view.ts';
import type { Supervisor } from './sessions/supervisor.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** A handler for each gateway operation, with the caller as its second argument. */
type GatewayHandlers = {
  readonly [N in GatewayOperationName]: (
    input: Parameters<Handlers<N>[N]>[0],
    caller: Caller,
  ) => ReturnType<Handlers<N>[N]>;
};

interface Dependencies {
  readonly config: Pick<Config, 'journalMaxBytes'>;
  readonly supervisor: Supervisor;
  readonly keys: Keys;
  readonly tickets: EventTickets;
  readonly webhooks: Webhooks;
  readonly mover: Mover;
  readonly hostHistory: HostHistory;
  readonly cluster: Cluster;
  readonly pacing: Pacing;
}

/** Handlers of all operations; those of workers are forwarded. */
export function allHandlers(dependencies: Dependencies): Record<OperationName, AnyHandler> {
  const { supervisor, pacing } = dependencies;
  const forwarded = Object.keys(workerOperations).map((name) => [
    name,
    (input: PacedInput, { signal, keyId }: Caller, attempt?: SendAttempt) => {
      const call = async () => {
        signal.throwIfAborted(); // It may have waited for the disk. What the worker has is carried out.
        return supervisor.call(name as WorkerOperationName, input, attempt);
      };
      return attempt?.isRepeat ? call() : pacing.send(name, input, call, keyId); // A repeat was counted the first time.
    },
  ]);
  return {
    ...gatewayHandlers(dependencies),
    ...Object.fromEntries(forwarded),
    requestPairingCode: (input: Parameters<Supervisor['requestPairingCode']>[0], caller: Caller) =>
      supervisor.requestPairingCode(input, caller),
  };
}

function gatewayHandlers({
  config,
  supervisor,
  keys,
  tickets,
  webhooks,
  mover,
  hostHistory,
  cluster,
}: Dependencies): GatewayHandlers {
  return {
    listSessions: ({ host }, caller) => ({
      sessions: cluster
        .allViews(supervisor.list().map(viewOf))
        .filter((view) => caller.sees(view.id) && (host === undefined || view.host === host)),
    }),

    getAccess: (_, { id, scope, sessions }) => {
      const { name, expiresAt, maxSessions, recipients, sendsPerHour } = keys.get(id) ?? {};
      return {
        id,
        scope,
        sessions: [...sessions],
        name,
        expiresAt,
        maxSessions,
        recipients,
        sendsPerHour,
        version: version(),
      };
    },

    listKeys: (_, caller) => {
      requireToken(caller);
      return { keys: keys.list() };
    },

    createEventTicket: (input, caller) => tickets.issue(caller, input),

    createKey: (input, caller) => {
      requireToken(caller);
      return keys.create(input);
    },

    deleteKey: async ({ keyId }, caller) => {
      requireToken(caller);
      await keys.remove(keyId);
      return { id: keyId, status: 'removed' };
    },

    listWebhooks: (_, caller) => ({ webhooks: webhooks.list(caller) }),

    createWebhook: (input, caller) => webhooks.create(input, caller),

    getWebhook: ({ webhookId }, caller) => webhooks.get(webhookId, caller),

    updateWebhook: ({ webhookId, ...input }, caller) => webhooks.update(webhookId, input, caller),

    deleteWebhook: async ({ webhookId }, caller) => {
      await webhooks.remove(webhookId, caller);
      return { id: webhookId, status: 'removed' };
    },

    replayWebhook: ({ webhookId, after }, caller) => webhooks.replay(webhookId, after, caller),

    testWebhook: ({ webhookId }, caller) => webhooks.test(webhookId, caller),

    rotateWebhookSecret: ({ webhookId }, caller) => webhooks.rotateSecret(webhookId, caller),

    listDeadLetters: ({ webhookId }, caller) => ({ deadLetters: webhooks.deadLetters(webhookId, caller) }),

    replayDeadLetters: ({ webhookId }, caller) => ({
      id: webhookId,
      replaying: webhooks.replayDeadLetters(webhookId, caller),
    }),

    getHost: () => ({
      at: new Date().toISOString(),
      startedAt: hostHistory.startedAt.toISOString(),
      version: version(),
      sessions: countsByStatus(supervisor.list()),
      journalMaxBytes: config.journalMaxBytes,
      ...unsandboxedOf(supervisor.all()),
      ...hostHistory.view,
    }),

    listHosts: async () => ({ hosts: await cluster.hosts() }),

    getClusterHost: ({ hostId }) => cluster.host(hostId),

    removeHost: async ({ hostId }) => {
      await cluster.remove(hostId);
      return { id: hostId, status: 'removed' };
    },

    drainHost: ({ hostId }) => cluster.drain(hostId, true),

    endDrain: ({ hostId }) => cluster.drain(hostId, false),

    rebalanceHosts: async ({ dryRun }) => ({ moves: await cluster.rebalance({ dryRun }) }),

    listMoves: async () => ({ moves: await cluster.moves() }),

    moveSession: ({ id, to }) => {
      if (cluster.isAlone) supervisor.find(id); // 404 for an unknown session.
      return cluster.move(id, to);
    },

    confirmHostOff: ({ hostId, confirm }) => {
      if (confirm !== hostId)
        throw invalidRequest([{ path: 'confirm', message: 'must be the id of the host, as in the path' }]);
      return cluster.confirmOff(hostId);
    },

    listDeliveries: ({ webhookId }, caller) => ({ deliveries: webhooks.deliveries(webhookId, caller) }),

    startSession: async ({ id, host, ...asked }, caller) => {
      if (host !== undefined && cluster.isAlone) await cluster.host(host); // 404.
      return started('startSession', supervisor.start(id, asked, caller), 'settled', caller);
    },

    exportSession: ({ id }, caller) => mover.export(id, caller),

    importSession: async ({ id, ...taken }, caller) => {
      const session = await mover.import(id, taken, caller);
      await session.settled(operations.startSession.timeoutMs);
      return startedView(session, caller);
    },

    restartSession: ({ id }, caller) => started('restartSession', supervisor.restart(id, caller), 'up', caller),

    stopSession: async ({ id }, { signal }) => {
      await supervisor.stop(id, signal);
      return { id, status: 'stopped' };
    },

    logoutSession: ({ id }, caller) => started('logoutSession', supervisor.logout(id, caller), 'settled', caller),

    deleteSession: async ({ id }, { signal }) => {
      await supervisor.remove(id, signal);
      return { id, status: 'removed' };
    },

    getQr: ({ id }) => {
      const { qr, noQr } = supervisor.find(id);
      if (qr === undefined) throw noQr;
      return { id, status: 'qr', qr };
    },

    getSessionStatus: ({ id }) => {
      const view = viewOf(supervisor.find(id));
      return cluster.isAlone ? view : { ...view, host: cluster.hostName };
    },

    setSessionMetadata: async ({ id, metadata }, { keyId }) => {
      await supervisor.find(id).setMetadata(metadata, keyId);
      return { id, metadata };
    },

    getSessionInfo: ({ id }) => supervisor.find(id).info(),

    getSessionMemory: ({ id }) => ({ samples: supervisor.find(id).stats.memorySamples }),
  };
}

/** A key that anyone could create while the gateway is open would still be valid once a token is set. */
function requireToken({ id }: Caller): void {
  if (id === 'open') throw new Refusal('insufficient_scope', 'keys require a gateway with a token: set CHAT_WEB_TOKEN');
}

/** The session once it is settled or up, or when the time limit of the operation is reached. */
async function started(
  operation: GatewayOperationName,
  starting: Promise<Session>,
  state: 'settled' | 'up',
  caller: Caller,
) {
  const deadline = Date.now() + operations[operation].timeoutMs;
  const session = await starting;
  await session[state](deadline - Date.now());
  return startedView(session, caller);
}

function startedView(session: Session, { signal }: Caller) {
  const { id, status, reason, message, nextAttemptAt } = viewOf(session);
  // The caller may have lost access while the session started.
  const qr = signal.aborted ? undefined : session.qr;
  return {
    id,
    status,
    ...(qr === undefined ? {} : { qr }),
    ...(reason ? { reason, message } : {}),
    ...(nextAttemptAt ? { nextAttemptAt } : {}),
  };
}
