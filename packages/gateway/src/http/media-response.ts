import { Readable } from 'node:stream';
import { type MediaFile, MIME_TYPE } from '@chat-web/protocol';
import { create as contentDisposition } from 'content-disposition';
import type { Spool } from '../media/spool.ts';

/** Types that a browser can display without running scripts, unlike SVG. */
const INLINE = /^(image\/(png|jpeg|gif|webp|avif)$|audio\/|video\/)/i;
const MAX_TYPE_LENGTH = 255;
/** File system limit, in UTF-8; up to three times as much in a header. */
const MAX_NAME_BYTES = 255;
/** Only the end of a longer name is used: NFC of a long text is slow. */
const MAX_NAME_UNITS = 4_096;
const EXTENSION = /\.[\w-]{1,16}$/;

/**
 * Streams media to the caller safely: type and name are chosen by the sender. Browsers neither guess another type nor
 * run scripts, and display only images, audio and video.
 */
export async function mediaResponse(
  method: string,
  sessionId: string,
  file: MediaFile,
  spool: Spool,
): Promise<Response> {
  const headers = mediaHeaders(file); // Before opening a file that would have to be closed.
  const download = await spool.take(sessionId, file);
  if (method !== 'HEAD') return new Response(Readable.toWeb(download.stream()) as ReadableStream, { headers });
  await download.close();
  return new Response(null, { headers });
}

/** The response headers of a file. Never throws, whatever its name. */
export function mediaHeaders({ mimeType, filename, size }: MediaFile): Record<string, string> {
  const type = mimeType.length <= MAX_TYPE_LENGTH && MIME_TYPE.test(mimeType) ? mimeType : 'application/octet-stream';
  const name = filename === undefined ? undefined : downloadName(filename);
  return {
    'Content-Type': type,
    'Content-Length': String(size),
    'Content-Disposition': contentDisposition(name, { type: INLINE.test(type) ? 'inline' : 'attachment' }),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
  };
}

/**
 * A safe file name for a download: a single path segment in NFC, without control characters, line separators, bidi
 * controls or lone surrogates, short enough for a header and a file system. Undefined if nothing is left.
 */
export function downloadName(name: string): string | undefined {
  const normal = name.slice(-MAX_NAME_UNITS).normalize('NFC');
  const last = normal.slice(Math.max(normal.lastIndexOf('/'), normal.lastIndexOf('\\')) + 1);
  const plain = last
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '_')
    .replace(/^\s+|[\s.]+$/g, '');
  return shortened(plain) || undefined;
}

function shortened(name: string): string {
  const [extension = ''] = EXTENSION.exec(name) ?? [];
  let room = MAX_NAME_BYTES - extension.length;
  let stem = '';
  for (const character of name.slice(0, name.length - extension.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem + extension;
}
