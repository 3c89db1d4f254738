import { encode } from 'fast-png';

/** Small files of each kind, real enough for a check of their first bytes. */
export const media = [
  { type: 'image', mimeType: 'image/png', bytes: png() },
  {
    type: 'video',
    mimeType: 'video/mp4',
    bytes: withHead('000000206674797069736f6d0000020069736f6d69736f32'),
  },
  { type: 'audio', mimeType: 'audio/mpeg', bytes: withHead('494433040000000000') },
  { type: 'document', mimeType: 'application/pdf', bytes: withHead('255044462d312e340a') },
  {
    type: 'sticker',
    mimeType: 'image/webp',
    // Lossless, 512 x 512.
    bytes: withHead('52494646f4010000574542505650384c640000002fffc17f00'),
  },
] as const;

/** All bytes of a download; none without one. */
export async function downloadedBytes(
  download: { readonly data: ReadableStream<Uint8Array> } | null | undefined,
): Promise<Buffer> {
  return Buffer.from(await new Response(download?.data).arrayBuffer());
}

/** Bytes without a short period, so that a lost or duplicated piece changes their hash. */
export function patternBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = 0x9e3779b9;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

function png(): Uint8Array {
  return encode({ width: 2, height: 2, data: new Uint8Array(16).fill(200), channels: 4 });
}

function withHead(hex: string): Uint8Array {
  return Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(500, 7)]);
}
