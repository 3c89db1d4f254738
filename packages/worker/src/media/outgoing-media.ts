import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, invalidRequest, type MediaSource } from '@chat-web/protocol';
import { fileTypeFromFile } from 'file-type';
import type { HandlerContext } from '../client/port.ts';
import { fetchToFile } from './remote-file.ts';

/** What a media message may be. */
export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** Media ready to be sent. */
export interface OutgoingMedia {
  readonly path: string;
  readonly mimeType: string;
  readonly filename: string;
}

const UNKNOWN_TYPE = 'application/octet-stream';

/** Which types a kind may have; a document may be anything. */
const TYPES: Readonly<Record<MediaKind, RegExp>> = {
  image: /^image\//,
  video: /^video\//,
  audio: /^(audio\/|video\/(ogg|mp4|webm)$|application\/ogg$)/,
  sticker: /^image\//,
  document: /./,
};

/**
 * Brings media to a file with a type and a name, and lets some work use it. A `url` is fetched within `fetchMs`. The type is what the caller says, else
 * what the bytes show, else what the server of a URL claims; one that does not fit the kind is `invalid_request`.
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
    const limits = { ...fetchLimits, timeoutMs: fetchMs };
    const fetched = fetchedPath ? await fetchToFile(source.url ?? '', fetchedPath, limits, held.add) : undefined;
    const path = fetchedPath ?? join(uploadsDir, source.base64?.file ?? '');
    if ((await stat(path)).size === 0) throw new GatewayError('media_unavailable', 'the media are empty');
    const found = await fileTypeFromFile(path);
    const mimeType = source.mimeType ?? found?.mime ?? (fetched?.mimeType || UNKNOWN_TYPE);
    if (!TYPES[kind].test(mimeType)) {
      if (fetched && !source.mimeType) throw new GatewayError('media_unavailable', `the url is not of type ${kind}`);
      throw invalidRequest([{ path: 'mimeType', message: `must be a MIME type for ${kind}` }]);
    }
    // A plain name where none is given: the library would call it "undefined".
    const filename = source.filename ?? `${kind}.${found?.ext ?? extensionOf(mimeType)}`;
    return await work({ path, mimeType, filename });
  } finally {
    if (fetchedPath) await rm(fetchedPath, { force: true });
    held.release();
  }
}

function extensionOf(mimeType: string): string {
  const [, subtype = ''] = /^(?:image|video|audio|text|application)\/(?:x-)?([a-z0-9]{2,5})\b/.exec(mimeType) ?? [];
  return mimeType === UNKNOWN_TYPE || !subtype ? 'bin' : subtype === 'plain' ? 'txt' : subtype;
}
