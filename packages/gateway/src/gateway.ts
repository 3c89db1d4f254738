import type { AddressInfo } from 'node:net';
import { type OperationName, type WorkerOperationName, workerOperations } from '@chat-web/protocol';
import { createAdaptorServer } from '@hono/node-server';
import type { Config } from './config.ts';
import { holdDataDir } from './data-lock.ts';
import { gatewayHandlers } from './gateway-handlers.ts';
import { createApp } from './http/app.ts';
import type { AnyHandler } from './http/operation-route.ts';
import type { Log } from './log.ts';
import { Spool } from './media/spool.ts';
import { SavedSessions } from './sessions/saved-sessions.ts';
import { StartQueue } from './sessions/start-queue.ts';
import { Supervisor } from './sessions/supervisor.ts';

/** Who is slower than this is cut off: with the head of a request, and with all of it. Milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 300_000, connectionsCheckingInterval: 2_000 };

/** A gateway that runs. */
export interface Gateway {
  readonly url: string;
  /** Ends streams, workers and the server; auth is kept. */
  close(): Promise<void>;
}

/** Puts the gateway together and starts it. Rejects where the address or the data folder cannot be used. */
export async function startGateway(config: Config, log: Log): Promise<Gateway> {
  const saved = new SavedSessions(config.dataDir);
  const releaseDataDir = await holdDataDir(config.dataDir);
  const spool = new Spool(config.dataDir);
  const supervisor = new Supervisor({
    config,
    spool,
    saved,
    startQueue: new StartQueue(config.startConcurrency),
    streamCount: { open: 0 },
    log,
  });
  const app = createApp({ config, supervisor, handlers: allHandlers(supervisor), spool, log });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = createAdaptorServer({
    // A request that comes at once must not meet sessions that are still being looked up.
    fetch: (request, env) => opened.then(() => app.fetch(request, env)),
    serverOptions: LIMITS,
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  await Promise.all([saved.load(), spool.clear()]);
  open();
  if (config.autoStartSessions) supervisor.startSaved();

  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await supervisor.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
      await releaseDataDir();
    },
  };
}

/** A handler for every operation: the gateway's own, and one that forwards for each of the workers'. */
function allHandlers(supervisor: Supervisor): Record<OperationName, AnyHandler> {
  const forwarded = Object.keys(workerOperations).map((name) => [
    name,
    (input: { readonly id: string }) => supervisor.call(name as WorkerOperationName, input),
  ]);
  return { ...gatewayHandlers(supervisor), ...Object.fromEntries(forwarded) };
}
