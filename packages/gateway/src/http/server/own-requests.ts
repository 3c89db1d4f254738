import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { GuardedResponse } from './guarded-response.ts';

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch'];

export interface OwnRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Of the caller for whom it is sent; undefined on a unix socket. */
  readonly address: string | undefined;
  /** The tool that an agent has called. */
  readonly tool: string;
}

/** By connection. */
const tools = new WeakMap<object, string>();

/** The tool of an agent that has caused a request; undefined for a request that came from outside. */
export function callingToolOf({ incoming }: Partial<HttpBindings>): string | undefined {
  return incoming?.socket && tools.get(incoming.socket);
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
    tools.set(server, tool);
    this.#server.emit('connection', Object.assign(server, { remoteAddress: address }));
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        createConnection: () => client,
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
