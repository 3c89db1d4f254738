import { Server as HttpServer, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '@chat-web/protocol';
import { createAdaptorServer } from '@hono/node-server';
import type { Log } from '../log.ts';
import { type CertificateFiles, readCertificate } from './certificate.ts';
import { type ConnectionCount, limitConnections } from './connections.ts';
import { answerToNoRequest, GuardedResponse } from './guarded-response.ts';
import { listenOnSocket, type SocketFile } from './socket-file.ts';

/** Who is slower than this is cut off: with the head of a request, and with all of it. Milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 300_000, connectionsCheckingInterval: 2_000 };
/** The same for what comes before the first request over TLS. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

const LAST_ANSWERS_MS = 300;

/** Where the gateway is to be reached. */
export interface ListenOptions {
  readonly host: string;
  /** Absent: not over TCP. */
  readonly port: number | undefined;
  /** TCP speaks TLS, with this certificate. */
  readonly tls: CertificateFiles | undefined;
  readonly socket: SocketFile | undefined;
  /** Of all servers together; absent: as many as the limit of open files allows. */
  readonly maxConnections: number | undefined;
}

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch'];
type Server = HttpServer | HttpsServer;

/** The servers of the gateway, which all answer the same. */
export class Listeners {
  readonly connections: ConnectionCount;
  readonly #servers: readonly Server[];
  /** Every connection, also those that are still to agree on TLS: the servers do not know of them. */
  readonly #open = new Set<Socket>();
  readonly #options: ListenOptions;
  readonly #log: Log;

  private constructor(servers: readonly Server[], options: ListenOptions, log: Log) {
    this.connections = limitConnections(servers, options.maxConnections);
    this.#servers = servers;
    for (const server of servers) {
      server.on('connection', (socket: Socket) => {
        this.#open.add(socket);
        socket.once('close', () => this.#open.delete(socket));
      });
      // Without a listener, an error of the kernel's at a connection would end the gateway.
      server.on('error', (error) => log.warn(`a connection could not be accepted: ${errorText(error)}`));
    }
    this.#options = options;
    this.#log = log;
  }

  /** Listens wherever it is asked to. Rejects where one place cannot be had. */
  static async open(options: ListenOptions, fetch: Fetch, log: Log): Promise<Listeners> {
    const { host, port, tls, socket } = options;
    const servers: Server[] = [];
    if (port !== undefined) {
      const server = tls ? secureServer(tls, fetch, log) : plainServer(fetch);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      servers.push(server);
    }
    if (socket) {
      const server = plainServer(fetch);
      await listenOnSocket(server, socket);
      servers.push(server);
    }
    return new Listeners(servers, options, log);
  }

  /** Where it is reached: over TCP if it is, else `unix:` and the path of the socket. */
  get url(): string {
    const { socket, tls } = this.#options;
    const bound = this.#servers.map((server) => server.address()).find((address) => typeof address === 'object');
    if (!bound) return `unix:${socket?.path}`;
    const { address, family, port } = bound as AddressInfo;
    return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Reads the certificate again, for connections from now on. One that cannot be used is a line in the log. */
  reloadCertificate(): void {
    const { tls } = this.#options;
    if (!tls) return;
    try {
      const { cert, key } = useable(tls, this.#log);
      for (const server of this.#servers) if (server instanceof HttpsServer) server.setSecureContext({ cert, key });
    } catch (error) {
      this.#log.error(`the certificate stays as it is: ${errorText(error)}`);
    }
  }

  /** Takes no new connections while `work` is done; then lets answers that are on their way out, and cuts the rest. */
  async close(work: () => Promise<void>): Promise<void> {
    const closed = Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await work();
    await Promise.race([closed, delay(LAST_ANSWERS_MS, undefined, { ref: false })]);
    for (const socket of this.#open) socket.destroy();
    await closed;
  }
}

function plainServer(fetch: Fetch): Server {
  return watched(createAdaptorServer({ fetch, serverOptions: { ...LIMITS, ServerResponse: GuardedResponse } }));
}

function secureServer(files: CertificateFiles, fetch: Fetch, log: Log): Server {
  const { cert, key } = useable(files, log);
  const own = { cert, key, handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ServerResponse: GuardedResponse };
  return watched(createAdaptorServer({ fetch, createServer: createHttpsServer, serverOptions: { ...LIMITS, ...own } }));
}

function useable(files: CertificateFiles, log: Log) {
  const certificate = readCertificate(files);
  const { validTo } = certificate;
  if (validTo.getTime() < Date.now()) log.warn({ validTo }, 'the certificate has expired');
  else log.info({ validTo }, 'certificate read');
  return certificate;
}

/** Also answers what is no request, unless something else is being answered on that connection, or it never spoke HTTP. */
function watched(server: ReturnType<typeof createAdaptorServer>): Server {
  if (!(server instanceof HttpServer || server instanceof HttpsServer)) throw new Error('this is no HTTP/1.1 server');
  const answering = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => answering.set(socket, response));
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    const last = answering.get(socket);
    const answer = answerToNoRequest(code);
    if (answer === undefined || !socket.writable || (last?.headersSent && !last.writableFinished)) {
      socket.destroy();
      return;
    }
    socket.end(answer);
    // Who does not hang up by then never will.
    setTimeout(() => socket.destroy(), LAST_ANSWERS_MS).unref();
  });
  return server;
}
