import { Readable } from 'node:stream';
import { type MediaFile, MIME_TYPE } from '@chat-web/protocol';
import { create as contentDisposition } from 'content-disposition';
import type { Spool } from '../media/spool.ts';
import { downloadName } from './download-name.ts';

/** Types that a browser can display without running scripts, unlike SVG. */
const INLINE = /^(image\/(png|jpeg|gif|webp|avif)$|audio\/|video\/)/i;
const MAX_TYPE_LENGTH = 255;

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
