import { Readable } from 'node:stream';
import { GatewayError, type MediaFile, MIME_TYPE } from '@chat-web/protocol';
import { create as contentDisposition } from 'content-disposition';
import type { Context } from 'hono';
import type { Spool } from '../media/spool.ts';
import { isUnchanged, rangeOf } from './partial-content.ts';
import type { ServerEnv } from './server-env.ts';

/** Types that a browser can display without running scripts, unlike SVG. */
const INLINE = /^(image\/(png|jpeg|gif|webp|avif)$|audio\/|video\/)/i;
/**
 * Types that a browser runs as a script or style, or shows as a page that may have scripts: loaded by a page of ours, or
 * opened as a `blob:` that a page makes of the file, they would have our origin.
 */
const ACTIVE = /html|(java|ecma|j|live|vb)script|wasm|[/+]xml$|^text\/(css|xsl)$|^multipart\/|\bunknown$/;
const MAX_TYPE_LENGTH = 255;
const PLAIN_BYTES = 'application/octet-stream';
/** File system limit, in UTF-8; up to three times as much in a header. */
const MAX_NAME_BYTES = 255;
/** Only the end of a longer name is used: NFC of a long text is slow. */
const MAX_NAME_UNITS = 4_096;
const EXTENSION = /\.[\w-]{1,16}$/;

/**
 * Streams media to the caller safely, or the range that it asks for: type and name are chosen by the sender. Browsers
 * neither guess another type nor run scripts, and display only images, audio and video. A type that could run is named
 * by the message only. A description without a file is enough for HEAD, and for a caller who has the file.
 * `range_not_satisfiable`.
 */
export async function mediaResponse(
  c: Context<ServerEnv>,
  sessionId: string,
  media: MediaFile,
  spool: Spool,
): Promise<Response> {
  const { file, size } = media;
  const headers = mediaHeaders(media); // Before opening a file that would have to be closed.
  const tag = entityTag(media);
  const isKnown = isUnchanged(c.req.header('If-None-Match'), tag);
  const isHead = c.req.method === 'HEAD';
  const range = isKnown || isHead ? undefined : rangeOf(c.req.header(), size, tag);
  const needsBytes = !isKnown && !isHead && range !== 'beyond';
  const download = file === undefined ? undefined : await spool.take(sessionId, { file, size }, c.get('caller').keyId);
  if (!needsBytes) await download?.close();
  if (isKnown) return new Response(null, { status: 304, headers: tag === undefined ? {} : { ETag: tag } });
  if (isHead) return new Response(null, { headers });
  if (range === 'beyond') {
    c.header('Content-Range', `bytes */${size}`);
    throw new GatewayError('range_not_satisfiable', `the Range is beyond the end of the file, which has ${size} bytes`);
  }
  if (!download) throw new GatewayError('client_failed', "the session's worker sent no file");
  const bytes = Readable.toWeb(download.stream(range)) as ReadableStream;
  if (!range) return new Response(bytes, { headers });
  const { start, length } = range;
  const ofRange = { 'Content-Length': String(length), 'Content-Range': `bytes ${start}-${start + length - 1}/${size}` };
  return new Response(bytes, { status: 206, headers: { ...headers, ...ofRange } });
}

/** The response headers of a file. Never throws, whatever its name. */
export function mediaHeaders(media: MediaFile): Record<string, string> {
  const { mimeType, filename, size } = media;
  const tag = entityTag(media);
  const type = inertType(mimeType);
  const name = filename === undefined ? undefined : downloadName(filename);
  return {
    'Content-Type': type,
    'Content-Length': String(size),
    'Accept-Ranges': 'bytes',
    ...(tag === undefined ? {} : { ETag: tag }),
    'Content-Disposition': contentDisposition(name, { type: INLINE.test(type) ? 'inline' : 'attachment' }),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
  };
}

function inertType(mimeType: string): string {
  if (mimeType.length > MAX_TYPE_LENGTH || !MIME_TYPE.test(mimeType)) return PLAIN_BYTES;
  const [bare = ''] = mimeType.toLowerCase().split(/ ?;/, 1);
  return ACTIVE.test(bare) ? PLAIN_BYTES : mimeType;
}

/** The ETag of media; undefined if their hash is not known. */
export function entityTag(media: Pick<MediaFile, 'sha256'> | null): string | undefined {
  return media?.sha256 === undefined ? undefined : `"${media.sha256}"`;
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
