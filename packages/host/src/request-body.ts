import type { ArchiveInput } from '@chat-web/protocol';

type Fields = Readonly<Record<string, unknown>>;

export type Body = string | Blob | ReadableStream<Uint8Array>;

/** A body, recreated for each attempt. */
export interface RequestBody {
  /** False if it can be sent only once. */
  readonly isRepeatable: boolean;
  make(): Promise<Body>;
  cancel(reason: unknown): void;
}

/** A multiple of three, so that pieces of base64 can be joined. */
const PIECE_BYTES = 0x6000;
/** The placeholder for the bytes in the JSON is random: a caller cannot write it into another field. */
const MARK_BYTES = 16;

export function archiveBody({ archive }: ArchiveInput): RequestBody {
  if (!(archive instanceof ReadableStream)) {
    const body = archive instanceof Blob ? archive : new Blob([archive as Uint8Array<ArrayBuffer>]);
    return { isRepeatable: true, make: async () => body, cancel: () => {} };
  }
  return {
    isRepeatable: false,
    make: async () => archive,
    cancel: (reason) => {
      if (!archive.locked) void archive.cancel(reason).catch(() => {});
    },
  };
}

/** The fields as JSON. Bytes in `base64` are encoded while they are sent, if the platform can send streams. */
export function jsonBody(fields: Fields): RequestBody {
  const { base64, ...rest } = fields;
  if (base64 instanceof Uint8Array) return inOnePiece({ ...rest, base64: encode(base64) });
  if (base64 instanceof Blob)
    return { isRepeatable: true, make: () => streamed(rest, base64.stream()), cancel: () => {} };
  if (base64 instanceof ReadableStream) return once(rest, base64);
  return inOnePiece(fields);
}

function inOnePiece(fields: Fields): RequestBody {
  const text = JSON.stringify(fields);
  return { isRepeatable: true, make: async () => text, cancel: () => {} };
}

function once(rest: Fields, bytes: ReadableStream<Uint8Array>): RequestBody {
  let made: Body | undefined;
  return {
    isRepeatable: false,
    make: async () => {
      made = await streamed(rest, bytes);
      return made;
    },
    cancel: (reason) => {
      const unsent = made instanceof ReadableStream ? made : bytes;
      if (!unsent.locked) void unsent.cancel(reason).catch(() => {}); // Otherwise its reader ends it.
    },
  };
}

async function streamed(rest: Fields, bytes: ReadableStream<Uint8Array>): Promise<Body> {
  const mark = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(MARK_BYTES))));
  const [head = '', tail = ''] = JSON.stringify({ ...rest, base64: mark }).split(mark);
  const text = bytes.pipeThrough(base64Encoder(head, tail)).pipeThrough(new TextEncoderStream());
  return sendsStreams() ? text : new Response(text).blob();
}

/** False in browsers: some send the text `[object ReadableStream]`, others send streams only over HTTP/2. */
function sendsStreams(): boolean {
  return (
    typeof (globalThis as { readonly document?: unknown; readonly WorkerGlobalScope?: unknown }).document ===
      'undefined' && !('WorkerGlobalScope' in globalThis)
  );
}

/** Encodes bytes as base64, between two texts. Small pieces are joined: each would be a chunk on the wire. */
function base64Encoder(head: string, tail: string): TransformStream<Uint8Array, string> {
  const held = new Uint8Array(PIECE_BYTES);
  let count = 0;
  return new TransformStream({
    start: (output) => output.enqueue(head),
    transform: (piece, output) => {
      for (let start = 0; start < piece.length; ) {
        const part = piece.subarray(start, start + PIECE_BYTES - count);
        held.set(part, count);
        count += part.length;
        start += part.length;
        if (count < PIECE_BYTES) return;
        output.enqueue(encode(held));
        count = 0;
      }
    },
    flush: (output) => output.enqueue(encode(held.subarray(0, count)) + tail),
  });
}

function encode(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE_BYTES)));
  return text;
}
