import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { listening } from '../listening.ts';

/** A TCP relay to a server on loopback, which can hold back what the server answers, and break connections. */
export class Relay implements Disposable {
  readonly #serverPort: number;
  readonly #listener = createServer((client) => this.#connect(client));
  readonly #sockets = new Set<Socket>();
  readonly #breaks: number[] = [];
  #isHeld = false;
  /** Of an HTTP server. */
  url = '';

  private constructor(serverPort: number) {
    this.#serverPort = serverPort;
  }

  /** Starts a relay to the port of a server, which may start later. */
  static async start(serverPort: number): Promise<Relay> {
    const relay = new Relay(serverPort);
    relay.url = `http://127.0.0.1:${await listening(relay.#listener)}`;
    return relay;
  }

  /** From now on, what the server sends does not arrive. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Ends the hold: what was held back is lost, with all connections. */
  release(): void {
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks the next connection on which that many bytes have arrived, in both directions together. */
  breakAfter(bytes: number): void {
    this.#breaks.push(bytes);
  }

  close(): void {
    this.#listener.close();
    this.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #connect(client: Socket): void {
    const server = connect(this.#serverPort, '127.0.0.1');
    let bytes = 0;
    const count = (piece: Buffer) => {
      bytes += piece.length;
      const [limit] = this.#breaks;
      if (limit === undefined || bytes < limit) return;
      this.#breaks.shift();
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      const other = socket === client ? server : client;
      this.#sockets.add(socket);
      socket
        .on('error', () => {})
        .on('data', count)
        .on('close', () => {
          this.#sockets.delete(socket);
          if (!socket.readableEnded) other.destroy(); // Otherwise, it ends once it has sent everything.
        });
    }
    const held = new Transform({
      transform: (piece, _, done) => done(null, this.#isHeld ? undefined : piece),
    });
    client.pipe(server).pipe(held).pipe(client);
  }
}
