import { LineReader } from './line-reader.ts';

/**
 * The file descriptors of a worker's channel to the gateway: sockets with one JSON message per line, one for each
 * direction. With a single socket, unread data at the exit of one side would reset it, and lose data of the other.
 */
export const CHANNEL_FDS = { toGateway: 3, toWorker: 4 } as const;

/**
 * Limits of one message. The largest legitimate ones are lists: 10,000 contacts with long names take 7 MB and 100,000
 * values. With only a limit of bytes, 8 MB of brackets would keep the gateway busy for seconds.
 */
const LIMITS = { bytes: 16 * 1_048_576, values: 400_000, depth: 16 };
/** Smaller messages need no check. */
const SMALL_BYTES = 65_536;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Why a message cannot be sent or read: a clause that follows "a message". */
export class ChannelError extends Error {}

/** A reader of one side of the channel, for the lines that `decodeMessage` takes. */
export function messageReader(): LineReader {
  return new LineReader({ mostBytes: LIMITS.bytes });
}

/** Encodes a message as a line. Throws a ChannelError if the other side would reject it. */
export function encodeMessage(message: object): Uint8Array {
  // JSON contains no line breaks, and lone surrogates are escaped.
  const line = encoder.encode(`${JSON.stringify(message)}\n`);
  if (line.length > SMALL_BYTES) assertBounded(line.subarray(0, -1));
  return line;
}

/** Decodes a line, without validation. Throws a ChannelError if it is not JSON, or exceeds the limits. */
export function decodeMessage(line: Uint8Array): unknown {
  if (line.length > SMALL_BYTES) assertBounded(line);
  try {
    return JSON.parse(decoder.decode(line));
  } catch {
    throw new ChannelError('that is not JSON'); // The parser's message quotes the line.
  }
}

/** The size limit of a message, for error texts. */
export const LONGEST_MESSAGE = `${LIMITS.bytes / 1_048_576} MB`;

function assertBounded(line: Uint8Array): void {
  if (line.length > LIMITS.bytes) throw new ChannelError(`of more than ${LONGEST_MESSAGE}`);
  let values = 0;
  let depth = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === QUOTE) at = endOfString(line, at);
    else if (byte === COMMA) values += 1;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values += 1;
      depth += 1;
    } else continue;
    if (values > LIMITS.values) throw new ChannelError(`of more than ${LIMITS.values} values`);
    if (depth > LIMITS.depth) throw new ChannelError(`that is more than ${LIMITS.depth} levels deep`);
  }
}

/** The end of the string that begins here, or the end of the line. */
function endOfString(line: Uint8Array, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = line.indexOf(QUOTE, at);
    if (at < 0) return line.length;
    let before = at - 1;
    while (line[before] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
}
