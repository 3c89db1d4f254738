import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sentMessage } from '@chat-web/testing';

interface Stored {
  readonly id: string | undefined;
  readonly session: string | undefined;
  readonly name: string;
  readonly data: unknown;
}

interface StreamRequest {
  readonly url: string;
  readonly after: string | undefined;
  readonly authorization: string | undefined;
  readonly at: number;
}

/** Responds to one connection in a custom way, instead of correctly. */
export type Answer = (response: ServerResponse, request: StreamRequest) => void;

/** An HTTP server that streams events like a gateway, unless a test makes it misbehave. */
export class EventServer implements AsyncDisposable {
  readonly requests: StreamRequest[] = [];
  readonly stored: Stored[] = [];
  /** Responses to the next connections, one each. */
  readonly answers: Answer[] = [];
  epoch = 'e1';
  readonly #server: Server;
  readonly #streams = new Map<ServerResponse, StreamRequest>();

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<EventServer> {
    const server = new EventServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open as streams. */
  get open(): number {
    return this.#streams.size;
  }

  /** Stores an event, and sends it to the open streams. */
  emit(name: string, data: unknown, session: string | undefined = 'main'): string {
    const id = `${this.epoch}-${this.stored.length + 1}`;
    this.#emit({ id, session, name, data });
    return id;
  }

  /** Sends an event without an id, which is not stored. */
  show(name: string, data: unknown, session = 'main'): void {
    const event = { id: undefined, session, name, data };
    for (const [response, request] of this.#streams) response.write(frameOf(event, request));
  }

  /** Emits a message of the session with this body. */
  message(body: string, session = 'main'): string {
    return this.emit('message', messageOf(body), session);
  }

  /** Breaks all connections. */
  cut(): void {
    for (const response of this.#streams.keys()) response.destroy();
    this.#streams.clear();
  }

  /** Bytes that readers have not read, apart from those in sockets. */
  get unsent(): number {
    return [...this.#streams.keys()].reduce((sum, { writableLength }) => sum + writableLength, 0);
  }

  /** Writes a comment with the position on all connections. */
  keepAlive(): void {
    for (const response of this.#streams.keys()) response.write(positionOf('keepalive', this.#last));
  }

  /** Responds correctly. */
  serve(response: ServerResponse, request: StreamRequest): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    const from = this.stored.findIndex(({ id }) => id === request.after);
    const isKnown = request.after === undefined || request.after === 'oldest' || from >= 0;
    response.write(`retry: 3000\n${positionOf('connected', request.after ?? this.#last)}`);
    if (!isKnown) response.write(frameOf(gapOf(request.after), request));
    if (request.after !== undefined)
      for (const event of this.stored.slice(from + 1)) response.write(frameOf(event, request));
    this.#streams.set(response, request);
    response.on('close', () => this.#streams.delete(response));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get #last(): string {
    return this.stored.at(-1)?.id ?? 'oldest';
  }

  #emit(event: Stored): void {
    this.stored.push(event);
    for (const [response, request] of this.#streams) response.write(frameOf(event, request));
  }

  #answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const after = headers['last-event-id'];
    const request = { url, after: after?.toString(), authorization: headers.authorization, at: performance.now() };
    this.requests.push(request);
    const own = this.answers.shift();
    if (own) own(response, request);
    else this.serve(response, request);
  }
}

export function messageOf(body: string) {
  return sentMessage({ id: `false_1@c.us_${body.slice(0, 20)}`, from: '1@c.us', to: '2@c.us', fromMe: false, body });
}

/** An event in the format of the requested stream. */
export function frameOf({ id, session, name, data }: Stored, { url }: Pick<StreamRequest, 'url'>): string {
  const isOfAll = url.startsWith('/events');
  const text = isOfAll ? JSON.stringify({ session, at: '2026-01-01T00:00:00.000Z', data }) : JSON.stringify(data);
  const value = !isOfAll && name === 'qr' ? String(data) : text;
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${value}\n\n`;
}

function gapOf(from: string | undefined): Stored {
  return { id: undefined, session: undefined, name: 'gap', data: { reason: 'unknown_position', from, to: null } };
}

function positionOf(comment: string, id: string): string {
  return `id: ${id}\n: ${comment} ${id}\n\n`;
}
