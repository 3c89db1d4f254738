import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { GuardedResponse } from './guarded-response.ts';

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch'];

/** For whom the gateway sends a request to itself. */
export interface OnBehalf {
  /** Of the caller; undefined on a unix socket. */
  readonly address: string | undefined;
  /** The tool that an agent calls. */
  readonly tool: string;
}

export interface OwnRequest extends OnBehalf {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

const origins = new WeakMap<object, OnBehalf>();

/** Undefined for a request that came from outside. */
export function onBehalfOf({ incoming }: Partial<HttpBindings>): OnBehalf | undefined {
  return incoming?.socket && origins.get(incoming.socket);
}

/**
 * Requests of the gateway to its own routes, over connections in memory: the same checks and limits apply to them as to
 * any other, and it does not matter where the gateway listens.
 */
export class OwnRequests {
  readonly #server: Server;

  constructor(fetch: Fetch) {
    const server = createAdaptorServer({ fetch, serverOptions: { ServerResponse: GuardedResponse } });
    if (!(server instanceof Server)) throw new Error('not an HTTP/1.1 server');
    this.#server = server;
  }

  /** Resolves once the head of the response has arrived. Rejects when the signal aborts; aborting also ends the body. */
  send({ method, path, headers, body, signal, address, tool }: OwnRequest): Promise<IncomingMessage> {
    const [client, server] = duplexPair();
    origins.set(server, { address, tool });
    this.#server.emit('connection', server);
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        createConnection: () => client as Duplex & { readonly connecting?: boolean } as never,
        method,
        path,
        headers: { Host: 'localhost', Connection: 'close', ...headers },
        signal,
      });
      sent
        .once('response', resolve)
        .once('error', reject)
        .once('close', () => {
          // Neither side learns of the end of the other.
          client.destroy();
          server.destroy();
        });
      sent.end(body);
    });
  }
}
