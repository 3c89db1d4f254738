import { Readable } from 'node:stream';
import { type MediaFile, MIME_TYPE } from '@chat-web/protocol';
import { create as contentDisposition } from 'content-disposition';
import type { Spool } from '../media/spool.ts';

/** Types that a browser shows without running anything; SVG is a document with scripts. */
const SHOWN = /^(image\/(?!svg)|audio\/|video\/)/i;

/**
 * Streams media to the caller so that it can do no harm: its type is what its sender claims, and its name is what its
 * sender chose. A browser neither guesses another type nor runs it, and shows nothing but images, audio and video.
 */
export async function mediaResponse(
  method: string,
  sessionId: string,
  file: MediaFile,
  spool: Spool,
): Promise<Response> {
  const download = await spool.take(sessionId, file);
  const body = method === 'HEAD' ? await download.close() : (Readable.toWeb(download.stream()) as ReadableStream);
  const type = MIME_TYPE.test(file.mimeType) ? file.mimeType : 'application/octet-stream';
  const name = file.filename ? printable(file.filename) : undefined;
  return new Response(body ?? null, {
    headers: {
      'Content-Type': type,
      'Content-Length': String(file.size),
      'Content-Disposition': contentDisposition(name, { type: SHOWN.test(type) ? 'inline' : 'attachment' }),
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
    },
  });
}

/** A name without control characters, and without the marks that turn the direction of text around. */
function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '_');
}
