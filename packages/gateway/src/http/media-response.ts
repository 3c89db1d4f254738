import { Readable } from 'node:stream';
import { type MediaFile, MIME_TYPE } from '@chat-web/protocol';
import { create as contentDisposition } from 'content-disposition';
import type { Spool } from '../media/spool.ts';
import { downloadName } from './download-name.ts';

/** Types that a browser shows without running anything; SVG is a document with scripts. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|avif)$|audio\/|video\/)/i;
const LONGEST_TYPE = 255;

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
  const headers = mediaHeaders(file); // Before a file is opened that would have to be closed again.
  const download = await spool.take(sessionId, file);
  if (method !== 'HEAD') return new Response(Readable.toWeb(download.stream()) as ReadableStream, { headers });
  await download.close();
  return new Response(null, { headers });
}

/** The headers of a file. Never throws, whatever its sender called it. */
export function mediaHeaders({ mimeType, filename, size }: MediaFile): Record<string, string> {
  const type = mimeType.length <= LONGEST_TYPE && MIME_TYPE.test(mimeType) ? mimeType : 'application/octet-stream';
  const name = filename === undefined ? undefined : downloadName(filename);
  return {
    'Content-Type': type,
    'Content-Length': String(size),
    'Content-Disposition': contentDisposition(name, { type: SHOWN.test(type) ? 'inline' : 'attachment' }),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
  };
}
