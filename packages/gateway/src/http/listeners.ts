import { once } from 'node:events';
import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '@chat-web/protocol';
import { createAdaptorServer, type HttpBindings, type ServerType } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Log } from '../log.ts';
import { type CertificateFiles, readCertificate } from './certificate.ts';
import { type ConnectionCount, limitConnections } from './connections.ts';
import { answerToNoRequest, GuardedResponse } from './guarded-response.ts';
import { cutOffSlowReader } from './reading-pace.ts';
import { listenOnSocket, type SocketFile } from './socket-file.ts';

/** Who is slower with the head of a request is cut off; how fast a body must come is not Node's to say. Milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 0, connectionsCheckingInterval: 2_000 };
/** The same for what comes before the first request over TLS. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

const LAST_ANSWERS_MS = 300;
/** What is thrown away of a body that nobody has read. */
const MOST_UNREAD_BYTES = 65_536;

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
  readonly #open: ReadonlySet<Socket>;
  readonly #options: ListenOptions;
  readonly #log: Log;

  private constructor(servers: readonly Server[], open: ReadonlySet<Socket>, options: ListenOptions, log: Log) {
    this.connections = limitConnections(servers, options.maxConnections);
    this.#servers = servers;
    this.#open = open;
    this.#options = options;
    this.#log = log;
  }

  /** Listens wherever it is asked to. Rejects where one place cannot be had. */
  static async open(options: ListenOptions, fetch: Fetch, log: Log): Promise<Listeners> {
    const { host, port, tls, socket } = options;
    const answer = oneAtATime(fetch);
    const servers: Server[] = [];
    const connections = new Set<Socket>();
    if (port !== undefined) {
      const server = watched(tls ? secureServer(tls, answer, log) : plainServer(answer), connections);
      server.listen(port, host);
      await once(server, 'listening');
      servers.push(survivor(server, log));
    }
    if (socket) {
      const server = watched(plainServer(answer), connections);
      await listenOnSocket(server, socket);
      servers.push(survivor(server, log));
    }
    return new Listeners(servers, connections, options, log);
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
      this.#log.error({ error: errorText(error) }, 'certificate not changed');
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

/** Without a listener, an error of the kernel's at a connection would end the gateway. */
function survivor(server: Server, log: Log): Server {
  return server.on('error', (error) => log.warn({ error: errorText(error) }, 'connection not accepted'));
}

/**
 * Hangs up where a request comes before the one before it on that connection is answered. Node has its answer wait
 * without a socket, and never says when nobody can take it any more: what it holds would stay held. One moment is given:
 * over TLS, Node learns that an answer is out after the client has it.
 */
function oneAtATime(fetch: Fetch): Fetch {
  const last = new WeakMap<Socket, ServerResponse>();
  return (request, bindings) => {
    const { incoming, outgoing } = bindings as HttpBindings;
    const before = last.get(incoming.socket);
    last.set(incoming.socket, outgoing as ServerResponse);
    if (outgoing.socket) return fetch(request, bindings);
    // One alone may wait: the one behind that which is being answered.
    const answered = before?.socket ? closedWithin(before, LAST_ANSWERS_MS) : Promise.resolve();
    return answered.then(() => {
      if (outgoing.socket) return fetch(request, bindings);
      incoming.socket.destroy();
      return RESPONSE_ALREADY_SENT;
    });
  };
}

function closedWithin(response: ServerResponse, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function plainServer(fetch: Fetch): ServerType {
  return createAdaptorServer({ fetch, serverOptions: { ...LIMITS, ServerResponse: GuardedResponse } });
}

function secureServer(files: CertificateFiles, fetch: Fetch, log: Log): ServerType {
  const { cert, key } = useable(files, log);
  const own = { cert, key, handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ServerResponse: GuardedResponse };
  return createAdaptorServer({ fetch, createServer: createHttpsServer, serverOptions: { ...LIMITS, ...own } });
}

function useable(files: CertificateFiles, log: Log) {
  const certificate = readCertificate(files);
  const { validTo } = certificate;
  if (validTo.getTime() < Date.now()) log.warn({ validTo }, 'certificate expired');
  else log.info({ validTo }, 'certificate read');
  return certificate;
}

/**
 * Node reads on what still comes of a body once it is answered, for minutes. Where that may be without end, it is cut off
 * at once; a small rest gets its moment, so that the connection can be used again.
 */
function endUnread(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  const { socket } = incoming;
  if (Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY) > MOST_UNREAD_BYTES) {
    socket.destroySoon();
    return;
  }
  setTimeout(() => {
    if (!incoming.complete) socket.destroy();
  }, LAST_ANSWERS_MS).unref();
}

/**
 * Keeps the connections, also those that are still to agree on TLS, which the server does not know of. Also answers what
 * is no request, unless something else is being answered on that connection, or it never spoke HTTP.
 */
function watched(server: ServerType, connections: Set<Socket>): Server {
  if (!(server instanceof HttpServer || server instanceof HttpsServer)) throw new Error('this is no HTTP/1.1 server');
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const answering = new WeakMap<Socket, ServerResponse>();
  server.on('request', (incoming, response) => {
    answering.set(incoming.socket, response);
    cutOffSlowReader(response);
    response.once('finish', () => endUnread(incoming));
  });
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
