import { ServerStatusCodeError } from './errors.ts';
import type { PageMessage, PairingRequestName, PairingRequests, RequestName, Requests, ServerEvent } from './wire.ts';

type EventOf<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

const RETRY_DELAY_MS = 500;

interface Pending {
  readonly message: PageMessage;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface ConnectionListener {
  opened(): void;
  /** `failures` counts the consecutive attempts that did not last; the first is the loss itself. */
  lost(failures: number): void;
}

/**
 * The page's connection to the network. It reconnects after a loss. Requests wait until the network has
 * admitted this device, and those without an answer are sent again after a loss: offline, a request hangs.
 */
export class Connection {
  readonly #url: string;
  readonly #handlers = new Map<string, (event: never) => void>();
  readonly #pending = new Map<number, Pending>();
  /** The requests of a page that is not linked. */
  readonly #pendingPairing = new Map<number, Pending>();
  #socket: WebSocket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #admitted = false;
  #failures = 0;
  #lastRequest = 0;
  /** What is going to be sent in a moment. */
  #queued = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sets the handler of one kind of event. */
  handle<T extends ServerEvent['type']>(type: T, handler: (event: EventOf<T>) => void): void {
    this.#handlers.set(type, handler as (event: never) => void);
  }

  /** `deviceId` identifies the device before the first message. */
  open(deviceId: string | undefined, listener: ConnectionListener): void {
    this.close();
    const socket = new WebSocket(deviceId ? `${this.#url}&device=${encodeURIComponent(deviceId)}` : this.#url);
    this.#socket = socket;
    socket.onopen = () => {
      this.#failures = 0;
      listener.opened();
    };
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)) as ServerEvent);
    socket.onclose = () => {
      this.#admitted = false;
      this.#rejectPairingRequests();
      this.#retry = setTimeout(() => this.open(deviceId, listener), RETRY_DELAY_MS);
      this.#failures += 1;
      listener.lost(this.#failures);
    };
  }

  /** Closes it without reconnecting. */
  close(): void {
    clearTimeout(this.#retry);
    this.#admitted = false;
    this.#rejectPairingRequests();
    if (!this.#socket) return;
    this.#socket.onclose = null;
    this.#socket.onmessage = null;
    this.#socket.close();
    this.#socket = undefined;
  }

  /** Runs something in a moment. Until then, the page has not handled everything that was sent to it. */
  later(ms: number, act: () => void): void {
    this.#queued += 1;
    setTimeout(() => {
      this.#queued -= 1;
      act();
    }, ms);
  }

  send(message: PageMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** The login was accepted: waiting requests are sent, in order. */
  admit(): void {
    this.#admitted = true;
    for (const { message } of this.#pending.values()) this.send(message);
  }

  /** Resolves with the network's answer, without a timeout; rejects with a ServerStatusCodeError if it refuses. */
  request<N extends RequestName>(name: N, params: Requests[N]['params']): Promise<Requests[N]['result']> {
    return this.#await(this.#pending, { type: 'request', name, params }, this.#admitted);
  }

  /** The same while the page is not linked; it also rejects if the connection is lost. */
  requestPairing<N extends PairingRequestName>(
    name: N,
    params: PairingRequests[N]['params'],
  ): Promise<PairingRequests[N]['result']> {
    return this.#await(this.#pendingPairing, { type: 'pairing-request', name, params }, true);
  }

  #await<R>(waiting: Map<number, Pending>, parts: object, isSent: boolean): Promise<R> {
    this.#lastRequest += 1;
    const message = { ...parts, request: this.#lastRequest } as PageMessage;
    return new Promise((resolve, reject) => {
      waiting.set(this.#lastRequest, { message, resolve: resolve as (result: unknown) => void, reject });
      if (isSent) this.send(message);
    });
  }

  #rejectPairingRequests(): void {
    for (const { reject } of this.#pendingPairing.values()) reject(new Error('the connection is lost'));
    this.#pendingPairing.clear();
  }

  /** What earlier events have started in promises comes first, and what is queued. */
  #confirm(check: EventOf<'check'>['confirm']): void {
    setTimeout(() => {
      if (this.#queued > 0) this.#confirm(check);
      else this.send({ type: 'confirmed', confirm: check });
    });
  }

  #receive(event: ServerEvent): void {
    if (event.type === 'answer' || event.type === 'refused') {
      const pending = this.#pending.get(event.request) ?? this.#pendingPairing.get(event.request);
      this.#pending.delete(event.request);
      this.#pendingPairing.delete(event.request);
      if (event.type === 'answer') pending?.resolve(event.result);
      else pending?.reject(new ServerStatusCodeError(event.status, event.message));
      return;
    }
    if (event.type === 'check') {
      this.#confirm(event.confirm);
      return;
    }
    this.#handlers.get(event.type)?.(event as never);
  }
}
