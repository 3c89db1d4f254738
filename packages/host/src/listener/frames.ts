import { unlessAborted, withDeadline } from '@chat-web/protocol';
import { createParser, type ParseError } from 'eventsource-parser';

/** A frame of a stream: an event, or a position without one. */
export type Frame =
  | { readonly kind: 'event'; readonly id: string | undefined; readonly name: string; readonly text: string }
  /** All events up to `id` were sent. `isFirst`: the stream begins here. */
  | { readonly kind: 'position'; readonly id: string; readonly isFirst: boolean };

/** More than the largest event: a longer frame means that this is not an event stream. In UTF-16 units. */
const MAX_BUFFER_LENGTH = 16 * 1_048_576;
/** If a timer is late, because the process was busy or suspended, pending data is read first. */
const GRACE_MS = 1_000;
/** Parsers report an `id` only with events: without one, the gateway repeats it in a comment. */
const POSITION = /^(connected|keepalive) (\S+)$/;
/** The ids that can be sent back in a header. */
const ID = /^[\x21-\x7e]{1,200}$/;

export function isEventId(text: string): boolean {
  return ID.test(text);
}

interface ReadOptions {
  /** The longest silence. Undefined: no limit. */
  readonly silenceMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads the body of one response, no faster than frames are consumed. Throws when the connection breaks, when the
 * signal aborts, or when nothing has arrived for too long. An incomplete frame is dropped: it is sent again.
 */
export function readFrames(body: ReadableStream<Uint8Array>, options: ReadOptions): AsyncGenerator<Frame> {
  // At once: without a reader, the body of a garbage-collected response is cancelled.
  return read(body.getReader(), options);
}

async function* read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { silenceMs, signal }: ReadOptions,
): AsyncGenerator<Frame> {
  let frames: Frame[] = [];
  let tooLong: ParseError | undefined;
  const parser = createParser({
    maxBufferSize: MAX_BUFFER_LENGTH,
    onEvent: ({ id = '', event = '', data }) =>
      frames.push({ kind: 'event', id: isEventId(id) ? id : undefined, name: event, text: data }),
    onComment: (comment) => {
      const [, kind, id] = POSITION.exec(comment) ?? [];
      if (id !== undefined && isEventId(id)) frames.push({ kind: 'position', id, isFirst: kind === 'connected' });
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLong = error;
    },
  });
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await readWithin(reader.read(), silenceMs, signal);
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      const found = frames;
      frames = [];
      yield* found;
      if (tooLong) throw tooLong;
    }
  } finally {
    reader.cancel().catch(() => {}); // It has failed, or has ended.
  }
}

/** Does not rely on the body to end: it may be from a `fetch` that ignores its signal. */
async function readWithin<T>(reading: Promise<T>, timeoutMs: number | undefined, signal: AbortSignal): Promise<T> {
  const work = unlessAborted<T, never>(reading, signal, () => {
    throw signal.reason;
  });
  if (timeoutMs === undefined) return work;
  const giveUp = () => {
    throw new Error(`nothing arrived for ${timeoutMs / 1_000} s`);
  };
  return withDeadline(work, timeoutMs, () => withDeadline<T, never>(work, GRACE_MS, giveUp));
}
