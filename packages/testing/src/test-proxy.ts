import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { listening } from './listening.ts';

export { createCertificate } from '@chat-web/simulator';

export interface TestProxyOptions {
  readonly scheme: 'http' | 'https' | 'socks5';
  /** The ports on loopback that it connects to, by the `host:port` that a browser asks for. */
  readonly to: Readonly<Record<string, number>>;
  /** What it asks for: `user:password`. */
  readonly credentials?: string | undefined;
  /** Of an https proxy. */
  readonly certificate?: { readonly key: string; readonly cert: string };
  readonly port?: number;
}

const REFUSED = Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
const ACCEPTED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);

/** A proxy for tests, which resolves names by itself. */
export class TestProxy implements AsyncDisposable {
  /** What browsers have asked for, with the status of the answer: `web.whatsapp.com:443 200`. */
  readonly asked: string[] = [];
  /** Answers everything with this status, such as 403. */
  refusesWith: number | undefined;
  readonly #options: TestProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  private constructor(options: TestProxyOptions) {
    this.#options = options;
    if (options.scheme === 'socks5') this.#server = createServer((socket) => void this.#serveSocks(socket));
    else {
      const server = options.scheme === 'http' ? createHttpServer() : createHttpsServer({ ...options.certificate });
      server.on('connect', (request: IncomingMessage, socket: Duplex) => this.#serveConnect(request, socket));
      server.on('request', ({ url = '' }, response) => {
        this.asked.push(`${url} 501`);
        response.writeHead(501).end();
      });
      this.#server = server;
    }
    this.#server.on(options.scheme === 'https' ? 'secureConnection' : 'connection', (socket: Duplex) =>
      this.#keep(socket),
    );
  }

  static async start(options: TestProxyOptions): Promise<TestProxy> {
    const proxy = new TestProxy(options);
    await listening(proxy.#server, options.port);
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Its URL, with these credentials. */
  url(credentials = ''): string {
    return `${this.#options.scheme}://${credentials && `${credentials}@`}127.0.0.1:${this.port}`;
  }

  /** How many connections it has carried. */
  get carried(): number {
    return this.asked.filter((line) => line.endsWith(' 200')).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
  }

  #serveConnect({ url = '', headers }: IncomingMessage, socket: Duplex): void {
    const { credentials } = this.#options;
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    const isKnown = wanted === undefined || headers['proxy-authorization'] === wanted;
    const status = isKnown ? this.#statusFor(url) : 407;
    this.asked.push(`${url} ${status}`);
    const asks = status === 407 ? 'Proxy-Authenticate: Basic realm="test"\r\n' : '';
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${asks}`;
    if (status === 200) this.#carry(url, socket, `${head}\r\n`);
    else socket.end(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  }

  async #serveSocks(socket: Socket): Promise<void> {
    const read = async (bytes: number): Promise<Buffer> => {
      for (;;) {
        const found = socket.read(bytes) as Buffer | null;
        if (found) return found;
        await once(socket, 'readable');
      }
    };
    try {
      const [, methods = 0] = await read(2);
      await read(methods);
      socket.write(Buffer.from([5, 0]));
      const [, , , kind] = await read(4);
      if (kind !== 3) throw new Error('the browser has resolved the name itself');
      const [length = 0] = await read(1);
      const host = (await read(length)).toString();
      const url = `${host}:${(await read(2)).readUInt16BE()}`;
      const status = this.#statusFor(url);
      this.asked.push(`${url} ${status}`);
      if (status === 200) this.#carry(url, socket, ACCEPTED);
      else socket.end(REFUSED);
    } catch (error) {
      this.asked.push(String(error));
      socket.destroy();
    }
  }

  #statusFor(url: string): number {
    return this.refusesWith ?? (this.#options.to[url] === undefined ? 502 : 200);
  }

  #carry(url: string, socket: Duplex, accepted: string | Buffer): void {
    const target = connect(this.#options.to[url] ?? 0, '127.0.0.1', () => {
      socket.write(accepted);
      target.pipe(socket).pipe(target);
    });
    this.#keep(target);
    target.on('close', () => socket.destroy());
    socket.on('close', () => target.destroy());
  }
}
