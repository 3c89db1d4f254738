import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, GatewayError, invalidRequest, type MediaSource } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';

export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';

export interface OutgoingMedia {
  readonly path: string;
  readonly mimeType: string;
  readonly filename: string;
}

const UNKNOWN_TYPE = 'application/octet-stream';

/** The MIME types of each kind; a document may have any. */
const TYPES: Readonly<Record<MediaKind, RegExp>> = {
  image: /^image\//,
  video: /^video\//,
  audio: /^(audio\/|video\/(ogg|mp4|webm)$|application\/ogg$)/,
  sticker: /^image\//,
  document: /./,
};

/**
 * Provides media as a file with a type and a name, and runs `work` with it. A `url` is fetched within `fetchMs`, and the
 * configured limit. The
 * type comes from the request, otherwise from the file's content, otherwise from the URL's server. If it does not match
 * the kind, the error is `invalid_request`, or `media_unavailable` if the request did not name the type.
 */
export async function withMedia<R>(
  kind: MediaKind,
  source: MediaSource,
  fetchMs: number,
  { uploadsDir, spoolDir, spoolShare, fetchLimits }: HandlerContext,
  work: (media: OutgoingMedia) => Promise<R>,
): Promise<R> {
  const fetchedPath = source.url === undefined ? undefined : join(spoolDir, randomUUID());
  const held = spoolShare.hold();
  try {
    const limits = { ...fetchLimits, timeoutMs: Math.min(fetchLimits.timeoutMs, fetchMs) };
    const fetched =
      fetchedPath === undefined
        ? undefined
        : await (await import('./remote-file.ts')).fetchToFile(source.url ?? '', fetchedPath, limits, held.add);
    const path = fetchedPath ?? join(uploadsDir, source.base64?.file ?? '');
    if ((await sizeOf(path)) === 0) throw new GatewayError('media_unavailable', 'the media are empty');
    const { fileTypeFromFile } = await import('file-type'); // Most sessions never send media.
    const found = await fileTypeFromFile(path);
    const mimeType = source.mimeType ?? found?.mime ?? (fetched?.mimeType || UNKNOWN_TYPE);
    if (!TYPES[kind].test(mimeType)) {
      if (fetched && !source.mimeType) throw new GatewayError('media_unavailable', `the url is not of type ${kind}`);
      throw invalidRequest([{ path: 'mimeType', message: `must be a MIME type for ${kind}` }]);
    }
    // A default name: without one, the library uses "undefined".
    const filename = source.filename ?? `${kind}.${found?.ext ?? extensionOf(mimeType)}`;
    // The page derives the kind from the part before the slash, and a container type does not show its content.
    const shownType = kind === 'audio' ? mimeType.replace(/^\w+/, 'audio') : mimeType;
    return await work({ path, mimeType: shownType, filename });
  } finally {
    if (fetchedPath) await rm(fetchedPath, { force: true });
    held.release();
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw new GatewayError('client_failed', `the file is gone; nothing was sent (${errorText(error)})`);
  }
}

function extensionOf(mimeType: string): string {
  const [, subtype = ''] = /^(?:image|video|audio|text|application)\/(?:x-)?([a-z0-9]{2,5})\b/.exec(mimeType) ?? [];
  return mimeType === UNKNOWN_TYPE || !subtype ? 'bin' : subtype === 'plain' ? 'txt' : subtype;
}
