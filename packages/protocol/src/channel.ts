import { JsonBounds } from './json-bounds.ts';
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

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Why a message cannot be sent or read: a clause that follows "a message". */
export class ChannelError extends Error {}

/** A reader of one side of the channel, for the lines that `decodeMessage` takes. */
export function messageReader(): LineReader {
  return new LineReader({ maxBytes: LIMITS.bytes });
}

/** Encodes a message as a line. Throws a ChannelError if the other side would reject it. */
export function encodeMessage(message: object): Uint8Array {
  // JSON contains no line breaks, and lone surrogates are escaped.
  const line = encoder.encode(`${JSON.stringify(message)}\n`);
  if (line.length > SMALL_BYTES) requireBounded(line.subarray(0, -1));
  return line;
}

/** Decodes a line, without validation. Throws a ChannelError if it is not JSON, or exceeds the limits. */
export function decodeMessage(line: Uint8Array): unknown {
  if (line.length > SMALL_BYTES) requireBounded(line);
  try {
    return JSON.parse(decoder.decode(line));
  } catch {
    throw new ChannelError('that is not JSON'); // The parser's message quotes the line.
  }
}

export const MAX_MESSAGE_LENGTH = `${LIMITS.bytes / 1_048_576} MB`;

function requireBounded(line: Uint8Array): void {
  if (line.length > LIMITS.bytes) throw new ChannelError(`of more than ${MAX_MESSAGE_LENGTH}`);
  new JsonBounds(LIMITS, refusal).scan(line);
}

function refusal(limit: 'depth' | 'values'): ChannelError {
  if (limit === 'values') return new ChannelError(`of more than ${LIMITS.values} values`);
  return new ChannelError(`that is more than ${LIMITS.depth} levels deep`);
}
