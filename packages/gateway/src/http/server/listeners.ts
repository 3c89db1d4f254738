import { once } from 'node:events';
import { Server as HttpServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { errorText, settledWithin } from '@chat-web/protocol';
import { createAdaptorServer, type HttpBindings, type ServerType } from '@hono/node-server';
import type { CertificateFiles, Config } from '../../config.ts';
import { maxOpenFiles } from '../../host/open-files.ts';
import type { Log } from '../../log.ts';
import { mayHaveBody } from './body-headers.ts';
import { readCertificate } from './certificate.ts';
import { answerToInvalidRequest, GuardedResponse, RESPONSE_ALREADY_SENT } from './guarded-response.ts';
import { closeLongestIdle } from './idle-connections.ts';
import { SlowReaders } from './slow-reader.ts';
import { listenOnSocket } from './socket-file.ts';

/**
 * Milliseconds. Node limits only the request headers, also of a connection that has sent nothing; `MinDataRate` limits
 * the body.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 2_000,
};
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The host in the URL of a request that has none: HTTP/1.0 does not require it. Node refuses HTTP/1.1 without it. */
const HOST_OF_NONE = 'localhost';

const LAST_ANSWERS_MS = 300;
/** Unread body bytes that are discarded before the connection is closed instead. */
const MAX_UNREAD_BYTES = 65_536;

/** Where the gateway listens: on TCP if there is a port, with TLS if there is a certificate, and on a socket if named. */
export type ListenOptions = Pick<Config, 'host' | 'port' | 'tls' | 'socket' | 'maxConnections' | 'keepAliveMs'>;

interface ListenDependencies {
  readonly fetch: Fetch;
  readonly log: Log;
  /** How many files others have open now, which leave fewer for connections. */
  otherFiles(): number;
  /** True if the route asks for the body of a request with `Expect: 100-continue`; otherwise it is asked for at once. */
  asksForBody(incoming: IncomingMessage): boolean;
}

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch'];
type Server = HttpServer | HttpsServer;

export class Listeners {
  readonly connections: ConnectionCount;
  readonly #servers: readonly Server[];
  readonly #open: ReadonlySet<Socket>;
  readonly #options: ListenOptions;
  readonly #log: Log;

  private constructor(
    servers: readonly Server[],
    open: ReadonlySet<Socket>,
    options: ListenOptions,
    log: Log,
    otherFiles: () => number,
  ) {
    this.connections = limitConnections(servers, options.maxConnections, otherFiles);
    this.#servers = servers;
    this.#open = open;
    this.#options = options;
    this.#log = log;
  }

  static async open(options: ListenOptions, dependencies: ListenDependencies): Promise<Listeners> {
    const { fetch, log, otherFiles, asksForBody } = dependencies;
    const { host, port, tls, socket, keepAliveMs: keepAliveTimeout } = options;
    const answer = limitPipelining(refuseUnclearLength(fetch));
    const serverOptions = { ...LIMITS, keepAliveTimeout, ServerResponse: GuardedResponse };
    const plainServer = () => createAdaptorServer({ fetch: answer, hostname: HOST_OF_NONE, serverOptions });
    const servers: Server[] = [];
    const connections = new Set<Socket>();
    if (port !== undefined) {
      const server = configure(
        tls ? secureServer(tls, answer, serverOptions, log) : plainServer(),
        connections,
        asksForBody,
      );
      server.listen(port, host);
      await once(server, 'listening');
      servers.push(logErrors(server, log));
    }
    if (socket) {
      const server = configure(plainServer(), connections, asksForBody);
      await listenOnSocket(server, socket);
      servers.push(logErrors(server, log));
    }
    return new Listeners(servers, connections, options, log, otherFiles);
  }

  /** The URL over TCP; without TCP, `unix:` and the path of the socket. */
  get url(): string {
    const { socket, tls } = this.#options;
    const bound = this.#servers.map((server) => server.address()).find((address) => typeof address === 'object');
    if (!bound) return `unix:${socket?.path}`;
    const { address, family, port } = bound as AddressInfo;
    return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Reloads the certificate for new connections. If it is unusable, logs an error and keeps the current one. */
  reloadCertificate(): void {
    const { tls } = this.#options;
    if (!tls) return;
    try {
      const { cert, key } = loadCertificate(tls, this.#log);
      for (const server of this.#servers) if (server instanceof HttpsServer) server.setSecureContext({ cert, key });
    } catch (error) {
      this.#log.error({ error: errorText(error) }, 'certificate not changed');
    }
  }

  /** Stops accepting connections, awaits `work`, gives responses a moment to finish, then closes all connections. */
  async close(work: () => Promise<void>): Promise<void> {
    const closed = Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await work();
    await settledWithin(closed, LAST_ANSWERS_MS);
    for (const socket of this.#open) socket.destroy();
    await closed;
  }
}

/** Without a listener, a kernel error while accepting a connection would crash the gateway. */
function logErrors(server: Server, log: Log): Server {
  return server.on('error', (error) => log.warn({ error: errorText(error) }, 'connection not accepted'));
}

/**
 * Closes a connection on which a request arrives before the previous one is answered. Node queues the response without
 * a socket and does not report when the client is gone, so its resources would leak. A short delay is allowed: over
 * TLS, Node learns that a response is sent after the client has received it.
 */
function limitPipelining(fetch: Fetch): Fetch {
  const last = new WeakMap<Socket, ServerResponse>();
  return (request, bindings) => {
    const { incoming, outgoing } = bindings as HttpBindings;
    const before = last.get(incoming.socket);
    last.set(incoming.socket, outgoing as ServerResponse);
    if (outgoing.socket) return fetch(request, bindings);
    // Only the request directly after the one being answered may wait.
    const answered = before?.socket ? settledWithin(once(before, 'close'), LAST_ANSWERS_MS) : Promise.resolve();
    return answered.then(() => {
      if (outgoing.socket) return fetch(request, bindings);
      incoming.socket.destroy();
      return RESPONSE_ALREADY_SENT;
    });
  };
}

/**
 * Refuses a request whose length a proxy may read otherwise. Node also accepts a list that ends with `chunked`, an empty
 * `Transfer-Encoding`, and one of HTTP/1.0.
 */
function refuseUnclearLength(fetch: Fetch): Fetch {
  return (request, bindings) => {
    const { incoming, outgoing } = bindings as HttpBindings;
    const coding = incoming.headers['transfer-encoding'];
    if (coding === undefined || (coding.toLowerCase() === 'chunked' && incoming.httpVersion === '1.1'))
      return fetch(request, bindings);
    outgoing.writeHead(400, { Connection: 'close', 'Content-Length': '0' }).end();
    return RESPONSE_ALREADY_SENT;
  };
}

function secureServer(files: CertificateFiles, fetch: Fetch, options: ServerOptions, log: Log): ServerType {
  const { cert, key } = loadCertificate(files, log);
  const own = { cert, key, handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
  const serverOptions = { ...options, ...own };
  return createAdaptorServer({ fetch, hostname: HOST_OF_NONE, createServer: createHttpsServer, serverOptions });
}

function loadCertificate(files: CertificateFiles, log: Log) {
  const certificate = readCertificate(files);
  const { validTo } = certificate;
  if (validTo.getTime() < Date.now()) log.warn({ validTo }, 'certificate expired');
  else log.info({ validTo }, 'certificate read');
  return certificate;
}

/**
 * After a response, Node reads the rest of the body for minutes. A connection with a long or unknown rest is closed at
 * once; a short rest is given a moment, so that the connection can be reused.
 */
function endUnread(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  const { socket } = incoming;
  if (Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY) > MAX_UNREAD_BYTES) {
    socket.destroySoon();
    return;
  }
  setTimeout(() => {
    if (!incoming.complete) socket.destroy();
  }, LAST_ANSWERS_MS).unref();
}

/**
 * Tracks the connections, including those in a TLS handshake, which the server does not know yet. Disconnects slow
 * readers. Answers invalid requests, unless a response is being sent on that connection or the input is not HTTP.
 */
function configure(
  server: ServerType,
  connections: Set<Socket>,
  asksForBody: ListenDependencies['asksForBody'],
): Server {
  if (!(server instanceof HttpServer || server instanceof HttpsServer)) throw new Error('not an HTTP/1.1 server');
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const answering = new WeakMap<Socket, ServerResponse>();
  const slowReaders = new SlowReaders();
  server.on('request', (incoming, response) => {
    answering.set(incoming.socket, response);
    slowReaders.watch(response);
    if (mayHaveBody(incoming)) response.once('finish', () => endUnread(incoming));
  });
  server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
    if (!asksForBody(incoming)) response.writeContinue();
    server.emit('request', incoming, response);
  });
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    const last = answering.get(socket);
    const answer = answerToInvalidRequest(code);
    if (answer === undefined || !socket.writable || (last?.headersSent && !last.writableFinished)) {
      socket.destroy();
      return;
    }
    socket.end(answer);
    // In case the client does not close it.
    setTimeout(() => socket.destroy(), LAST_ANSWERS_MS).unref();
  });
  return server;
}

/** The most that connections have of the limit of open files. */
const SHARE_OF_OPEN_FILES = 0.75;
/** Left for what is not counted, such as the journal, the log, look-ups and /proc. */
const RESERVED_FILES = 64;
const MIN_CONNECTIONS = 10;

/** The number of open connections, and of those dropped because the limit was reached. */
interface ConnectionCount {
  open(): Promise<number>;
  readonly dropped: number;
}

/**
 * Limits the connections of all servers, so that clients cannot use up the file descriptors that sessions need.
 * `maxConnections`: of all servers together; undefined: three quarters of the open files limit. In any case, they leave
 * what others have open.
 */
function limitConnections(
  servers: readonly Server[],
  maxConnections: number | undefined,
  otherFiles: () => number,
): ConnectionCount {
  const files = maxOpenFiles();
  const wanted = maxConnections ?? Math.floor(files * SHARE_OF_OPEN_FILES);
  let dropped = 0;
  for (const server of servers) {
    const limit = () => {
      const total = Math.max(MIN_CONNECTIONS, Math.min(wanted, files - RESERVED_FILES - otherFiles()));
      server.maxConnections = Math.floor(total / servers.length);
    };
    limit();
    server.on('connection', limit);
    closeLongestIdle(server);
    server.on('drop', () => {
      dropped += 1;
      limit();
    });
  }
  return {
    open: async () => (await Promise.all(servers.map(countOf))).reduce((sum, count) => sum + count, 0),
    get dropped() {
      return dropped;
    },
  };
}

function countOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}
