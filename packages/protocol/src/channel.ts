import { LineReader } from './line-reader.ts';

/**
 * The file descriptors by which a worker finds its channel to the gateway: sockets, one JSON message on each line. One
 * for each direction: a socket that has something unread when its owner dies is reset, and what came the other way, lost.
 */
export const CHANNEL_FDS = { toGateway: 3, toWorker: 4 } as const;

/**
 * What one message may be. The largest honest ones are lists: 10,000 contacts with long names take 7 MB and 100,000
 * values. Without the other bounds, 8 MB of brackets keep the gateway busy for seconds.
 */
const LIMITS = { bytes: 16 * 1_048_576, values: 400_000, depth: 16 };
/** What is this small cannot be much of anything. */
const SMALL_BYTES = 65_536;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Why a message cannot be sent or read: a clause that goes on from "a message". */
export class ChannelError extends Error {}

/** A reader of one side of the channel, for the lines that `decodeMessage` takes. */
export function messageReader(): LineReader {
  return new LineReader({ mostBytes: LIMITS.bytes });
}

/** The line of a message. Throws a ChannelError where the other side would not take it. */
export function encodeMessage(message: object): Uint8Array {
  // JSON has no line break of its own, and lone surrogates are escaped.
  const line = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
  assertBounded(line.subarray(0, -1));
  return line;
}

/** The message of a line, whatever it says. Throws a ChannelError where it is none, or more than one side may ask of the other. */
export function decodeMessage(line: Uint8Array): unknown {
  assertBounded(line);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    throw new ChannelError('that is not JSON'); // What the parser says quotes the line.
  }
}

/** The longest message, for people. */
export const LONGEST_MESSAGE = `${LIMITS.bytes / 1_048_576} MB`;

function assertBounded(line: Uint8Array): void {
  if (line.length > LIMITS.bytes) throw new ChannelError(`of more than ${LONGEST_MESSAGE}`);
  if (line.length <= SMALL_BYTES) return;
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

/** Where the string that begins here ends; the end of the line, where it does not. */
function endOfString(line: Uint8Array, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = line.indexOf(QUOTE, at);
    if (at < 0) return line.length;
    let before = at - 1;
    while (line[before] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
}
