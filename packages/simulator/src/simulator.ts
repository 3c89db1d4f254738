import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { browserArgs, type Certificate, createCertificate } from './browser-args.ts';
import type { Build } from './builds.ts';
import { createControlApp } from './control/app.ts';
import { connectSimulator, type SimulatorClient } from './control/client.ts';
import type { AccountSeed } from './control/inputs.ts';
import { seededAccounts } from './network/directory.ts';
import { Network } from './network/network.ts';
import { Settings, type SimulatorSettings } from './settings.ts';
import { Pages } from './web/pages.ts';
import { createWebServer } from './web/web-server.ts';

/** How a simulator starts; a port of 0, the default, takes a free one. */
export interface SimulatorOptions {
  readonly port?: number;
  readonly controlPort?: number;
  /** Which build of the page is served; default: the newest. The same as the setting of that name. */
  readonly build?: Build | undefined;
  readonly settings?: Partial<SimulatorSettings>;
  /** Default: a few people who have each other as contacts. */
  readonly accounts?: readonly AccountSeed[] | undefined;
  /** For web.whatsapp.com, if a browser accepts one already; default: a new one. */
  readonly certificate?: Certificate;
}

export interface Simulator {
  /** The port of its web.whatsapp.com, on 127.0.0.1. */
  readonly port: number;
  readonly controlUrl: string;
  /** The arguments that make Chromium connect to this simulator only. */
  readonly browserArgs: string[];
  readonly phones: SimulatorClient;
  close(): Promise<void>;
}

/** Starts a simulator on loopback. Rejects with the system's error if a port is busy (EADDRINUSE, with `port`). */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const certificate = options.certificate ?? (await createCertificate());
  const settings = new Settings({ ...options.settings, build: options.build ?? options.settings?.build });
  const network = new Network(settings.current, options.accounts ?? seededAccounts);
  const pages = new Pages();
  const web = createWebServer(certificate, network, pages);
  const control = createServer(getRequestListener(createControlApp({ network, pages, settings }).fetch));
  control.keepAliveTimeout = 0; // A test that is busy for seconds would use a connection that was just closed.
  const servers: Listening[] = [];
  let closing: Promise<unknown> | undefined;
  const close = async () => {
    network.close();
    closing ??= Promise.all(servers.map((server) => server.close()));
    await closing;
  };
  try {
    const { port } = await listening(servers, web, options.port);
    const controlUrl = `http://127.0.0.1:${(await listening(servers, control, options.controlPort)).port}`;
    const phones = connectSimulator(controlUrl);
    return { port, controlUrl, browserArgs: browserArgs(port, certificate.fingerprint), phones, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listening(servers: Listening[], server: Parameters<typeof listen>[0], port = 0): Promise<Listening> {
  const started = await listen(server, port);
  servers.push(started);
  return started;
}

interface Listening {
  readonly port: number;
  /** Closes it and every connection, WebSockets included. */
  close(): Promise<void>;
}

/** Starts to listen on loopback; rejects with the system's error, such as EADDRINUSE. */
async function listen(server: HttpServer | HttpsServer, port: number): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, close };
}
