import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fixture } from '../fixture.ts';
import { listening } from '../listening.ts';

interface Account {
  /** What the next connection must present at least; undefined until it is linked. */
  counter: number | undefined;
  links: number;
  unlinks: number;
  connection: Connection | undefined;
  /** Not yet received by its device. */
  readonly inbox: Map<string, { readonly id: string; readonly body: string; readonly timestamp: number }>;
  /** The texts that it has sent, by the ids of their messages. */
  readonly sent: Map<string, string>;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Unix time in ms. */
  readonly since: number;
  lastReceivedAt: number;
}

type FromDevice =
  | { readonly type: 'hello'; readonly number: string; readonly counter?: number }
  | { readonly type: 'stored'; readonly counter: number }
  | { readonly type: 'received'; readonly id: string }
  | { readonly type: 'send'; readonly id: string; readonly body: string }
  /** `at`: Unix time in ms. It may arrive much later. */
  | { readonly type: 'ping'; readonly at: number }
  | { readonly type: 'unlink' };

/** A connection that sent something so recently was alive when another one came. Devices send twice a second. */
const ALIVE_MS = 1_000;
const MS_PER_SECOND = 1_000;

/**
 * The network of light sessions. Its links break as real ones do: each connection presents the counter that is in the
 * profile, and a lower one than the network has unlinks the account, since another copy of the profile was used.
 */
export class ToyNetwork implements AsyncDisposable {
  /** An account that was connected from two addresses at once. */
  readonly overlaps: string[] = [];
  readonly #server: Server;
  readonly #host: string;
  readonly #accounts = new Map<string, Account>();
  readonly #sockets = new Set<Socket>();
  #messages = 0;

  private constructor(host: string) {
    this.#host = host;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(host = '127.0.0.1'): Promise<ToyNetwork> {
    const network = new ToyNetwork(host);
    await listening(network.#server, 0, host);
    return network;
  }

  /** Of a gateway with light sessions. Their workers get its address as arguments of the browser. */
  get stackOptions() {
    const { port } = this.#server.address() as AddressInfo;
    return { main: fixture('worker-gateway.mjs'), browserArgs: [`--toy-network=tcp://${this.#host}:${port}`] };
  }

  /** The account of a light session, `light-<n>`, for traffic. */
  accountOf(session: string): { readonly session: string; readonly account: string; readonly network: ToyNetwork } {
    return { session, account: `1202777${session.replace('light-', '').padStart(4, '0')}`, network: this };
  }

  /** Sends a text to an account, which gets it once it is connected. */
  async write(number: string, body: string): Promise<void> {
    this.#messages += 1;
    const id = `3EB0${this.#messages.toString(16).toUpperCase().padStart(16, '0')}`;
    const message = { id, body, timestamp: Math.floor(Date.now() / MS_PER_SECOND) };
    const account = this.#account(number);
    account.inbox.set(id, message);
    if (account.connection) send(account.connection.socket, { type: 'message', ...message });
  }

  /** The texts that an account has sent, each as often as it arrived. */
  sentBy(number: string): string[] {
    return [...this.#account(number).sent.values()];
  }

  linksOf(number: string): { readonly links: number; readonly unlinks: number } {
    const { links, unlinks } = this.#account(number);
    return { links, unlinks };
  }

  #account(number: string): Account {
    const known = this.#accounts.get(number);
    if (known) return known;
    const fresh: Account = {
      counter: undefined,
      links: 0,
      unlinks: 0,
      connection: undefined,
      inbox: new Map(),
      sent: new Map(),
    };
    this.#accounts.set(number, fresh);
    return fresh;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const connection: Connection = {
      socket,
      address: socket.remoteAddress ?? '',
      since: Date.now(),
      lastReceivedAt: performance.now(),
    };
    let account: Account | undefined;
    let number = '';
    socket
      .on('error', () => {})
      .on('close', () => {
        this.#sockets.delete(socket);
        if (account?.connection === connection) account.connection = undefined;
      });
    const lines = createInterface({ input: socket }).on('error', () => {});
    lines.on('line', (line) => {
      const message = JSON.parse(line) as FromDevice;
      connection.lastReceivedAt = performance.now();
      if (message.type === 'hello') {
        ({ number } = message);
        account = this.#account(number);
        this.#connect(account, connection, message);
      } else if (account?.connection === connection) this.#receive(account, connection, message);
      else if (message.type === 'ping') this.#noteStale(number, connection, account?.connection, message.at);
    });
  }

  #connect(account: Account, connection: Connection, { number, counter }: { number: string; counter?: number }): void {
    const before = account.connection;
    if (before && before.address !== connection.address && performance.now() - before.lastReceivedAt < ALIVE_MS)
      this.overlaps.push(`${number}: ${before.address}, then ${connection.address}`);
    if (before) send(before.socket, { type: 'replaced' });
    if (counter === undefined) {
      account.links += 1;
      account.counter = 0;
    } else if (account.counter === undefined || counter < account.counter) {
      if (account.counter !== undefined) account.unlinks += 1;
      account.counter = undefined;
      send(connection.socket, { type: 'unlinked' });
      return;
    }
    account.connection = connection;
    send(connection.socket, { type: 'welcome', counter: Math.max(counter ?? 0, account.counter ?? 0) + 1 });
  }

  /** A connection that was replaced sends again. */
  #noteStale(number: string, { address }: Connection, by: Connection | undefined, at: number): void {
    if (by && by.address !== address && at > by.since + ALIVE_MS)
      this.overlaps.push(`${number}: ${address} is still there ${at - by.since} ms after ${by.address} has come`);
  }

  #receive(account: Account, { socket }: Connection, message: Exclude<FromDevice, { type: 'hello' }>): void {
    switch (message.type) {
      case 'stored':
        account.counter = message.counter;
        for (const waiting of account.inbox.values()) send(socket, { type: 'message', ...waiting });
        return;
      case 'received':
        account.inbox.delete(message.id);
        return;
      case 'send':
        account.sent.set(message.id, message.body);
        send(socket, { type: 'sent', id: message.id });
        return;
      case 'ping':
        send(socket, { type: 'pong' });
        return;
      case 'unlink':
        account.counter = undefined;
        socket.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function send(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}
