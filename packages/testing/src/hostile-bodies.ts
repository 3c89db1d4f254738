import { connect } from 'node:net';

/** A body that is expensive to parse. */
export interface HostileBody {
  readonly name: string;
  /** The allowed statuses of its answer. */
  readonly answers: readonly number[];
  /** Sent in HTTP chunks of this size, not as a whole. */
  readonly chunkBytes?: number;
  /** The body, of about this size in bytes. It is legal JSON unless the name says otherwise. */
  make(size: number): Buffer;
}

/** This number is not registered: the network refuses the messages that can be parsed, and nothing is sent. */
const START = '{"type":"document","to":"12025550999"';

/** A head, a unit repeated as often as it fits, and a tail. */
function repeated(head: string, unit: string, tail: string): (size: number) => Buffer {
  return (size) => {
    const times = Math.floor((size - Buffer.byteLength(head + tail)) / Buffer.byteLength(unit));
    return Buffer.from(`${head}${unit.repeat(times)}${tail}`);
  };
}

function nested(open: string, close: string): (size: number) => Buffer {
  return (size) => {
    const times = Math.floor((size - START.length - 10) / (open.length + close.length));
    return Buffer.from(`${START},"x":${open.repeat(times)}0${close.repeat(times)}}`);
  };
}

function manyKeys(size: number): Buffer {
  const parts = [START];
  for (let n = 0, length = START.length; length < size - 20; n += 1) {
    const part = `,"k${n.toString(36)}":0`;
    parts.push(part);
    length += part.length;
  }
  return Buffer.from(`${parts.join('')}}`);
}

const giantText = repeated(`${START},"caption":"`, 'a', '"}');
const upload = repeated(`${START},"base64":"`, 'AAAA', '"}');

/** One for each way to make a parser, scanner or decoder spend far more time or memory than the body's size. */
export const hostileBodies: readonly HostileBody[] = [
  { name: 'many small strings', answers: [400], make: repeated(`${START},"x":[""`, ',""', ']}') },
  { name: 'many small strings with escapes', answers: [400], make: repeated(`${START},"x":["\\n"`, ',"\\n"', ']}') },
  { name: 'many numbers', answers: [400], make: repeated(`${START},"x":[1e99`, ',1e99', ']}') },
  { name: 'many empty arrays', answers: [400], make: repeated(`${START},"x":[[]`, ',[]', ']}') },
  { name: 'deep arrays', answers: [400], make: nested('[', ']') },
  { name: 'deep objects', answers: [400], make: nested('{"a":', '}') },
  { name: 'open brackets, not JSON', answers: [400], make: repeated(`${START},"x":`, '[', '') },
  { name: 'a long key', answers: [413], make: repeated(`${START},"`, 'k', '":1}') },
  { name: 'many keys', answers: [400], make: manyKeys },
  { name: 'one key again and again', answers: [400], make: repeated(START, ',"a":0', '}') },
  { name: 'many uploads', answers: [400], make: repeated(START, ',"base64":"AAAA"', '}') },
  { name: 'many empty uploads', answers: [400], make: repeated(START, ',"base64":""', '}') },
  { name: 'escaped letters', answers: [413], make: repeated(`${START},"caption":"`, '\\u0041', '"}') },
  { name: 'lone surrogates', answers: [413], make: repeated(`${START},"caption":"`, '\\ud83d', '"}') },
  { name: 'astral characters', answers: [413], make: repeated(`${START},"caption":"`, '\u{1f600}', '"}') },
  { name: 'a long number', answers: [413], make: repeated(`${START},"x":`, '1', '}') },
  { name: 'a giant string', answers: [413], make: giantText },
  { name: 'white space', answers: [413], make: repeated(START, '\n ', '}') },
  { name: 'a giant string in small pieces', answers: [400, 413], chunkBytes: 1, make: giantText },
  { name: 'an upload in small pieces', answers: [400], chunkBytes: 1, make: upload },
  { name: 'an upload of escaped slashes', answers: [404], make: repeated(`${START},"base64":"`, '\\/\\/\\/\\/', '"}') },
  { name: 'an upload', answers: [404], make: upload },
];

/** A POST to a session's messages with a body of this size, as sent over the wire. */
export function hostileRequest(session: string, { make, chunkBytes }: HostileBody, bytes: number): Buffer {
  const body = make(bytes);
  const length = chunkBytes ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const head = `POST /sessions/${session}/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), chunkBytes ? inHttpChunks(body, chunkBytes) : body]);
}

/**
 * Sends it as fast as possible. Resolves with the status of the answer, or with the way the connection ended without
 * one.
 */
export function sendRaw(url: string, request: Buffer): Promise<number | string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request));
    socket.once('data', (answer: Buffer) => {
      resolve(Number(answer.toString('latin1', 9, 12)));
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    socket.on('close', () => resolve('closed'));
  });
}

/** The body as HTTP chunks of this size. */
export function inHttpChunks(body: Buffer, chunkBytes: number): Buffer {
  const chunk = Buffer.from(`${chunkBytes.toString(16)}\r\n${' '.repeat(chunkBytes)}\r\n`);
  const dataAt = chunk.length - chunkBytes - 2;
  const count = Math.floor(body.length / chunkBytes);
  const sent = Buffer.alloc(count * chunk.length, chunk);
  for (let n = 0; n < count; n += 1) body.copy(sent, n * chunk.length + dataAt, n * chunkBytes, (n + 1) * chunkBytes);
  return Buffer.concat([sent, Buffer.from('0\r\n\r\n')]);
}
