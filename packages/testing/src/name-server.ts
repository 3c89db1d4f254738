import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

const [ID_BYTES, HEADER_BYTES] = [2, 12];
const TYPES = new Map([
  [1, 4],
  [28, 6],
]);
/** A response, recursion desired and available; the last digit is the code. */
const [FOUND, UNKNOWN_NAME] = [0x8180, 0x8183];
const TTL_SECONDS = 1;

/** A name server on loopback. It answers for the names that it knows, and is silent about some. */
export class NameServer implements Disposable {
  /** The addresses of each name. Others do not exist. */
  readonly names = new Map<string, readonly string[]>();
  /** Names whose queries get no answer. */
  readonly silent = new Set<string>();
  /** Each query: `4 example.test`, with the family that it asks for. */
  readonly asked: string[] = [];
  readonly #socket = createSocket('udp4');

  private constructor() {
    this.#socket.on('message', (query, from) => this.#answer(query, from));
  }

  /** Rejects if it cannot listen there. */
  static async start(address = '127.0.0.1', port = 0): Promise<NameServer> {
    const server = new NameServer();
    server.#socket.bind(port, address);
    await once(server.#socket, 'listening');
    return server;
  }

  get address(): string {
    const { address, port } = this.#socket.address();
    return `${address}:${port}`;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #answer(query: Buffer, from: RemoteInfo): void {
    const labels: string[] = [];
    let at = HEADER_BYTES;
    for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const question = query.subarray(HEADER_BYTES, at + 5);
    const name = labels.join('.').toLowerCase();
    const family = TYPES.get(type) ?? 0;
    this.asked.push(`${family} ${name}`);
    if (this.silent.has(name)) return;
    const addresses = this.names.get(name)?.filter((address) => isIP(address) === family);
    const head = Buffer.alloc(HEADER_BYTES);
    query.copy(head, 0, 0, ID_BYTES);
    head.writeUInt16BE(addresses ? FOUND : UNKNOWN_NAME, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses?.length ?? 0, 6);
    const records = addresses?.map((address) => recordOf(type, address)) ?? [];
    this.#socket.send(Buffer.concat([head, question, ...records]), from.port, from.address);
  }
}

/** The name is that of the question. */
function recordOf(type: number, address: string): Buffer {
  const bytes = bytesOf(address);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc000 + HEADER_BYTES, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_SECONDS, 6);
  record.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([record, bytes]);
}

/** IPv6 is written in full. */
function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16)]),
  );
}
