import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, GatewayError, invalidRequest, type MediaSource } from '@chat-web/protocol';
import type { HandlerDependencies } from '../client/port.ts';
import { contentOf, type FileContent } from './file-content.ts';
import { extensionFor, typeOfName, withExtension } from './file-names.ts';
import {
  bareType,
  isConvertible,
  isGeneric,
  knownType,
  type MediaKind,
  supportedNames,
  UNKNOWN_TYPE,
} from './media-types.ts';
import type { RemoteFile } from './remote-file.ts';

export interface OutgoingMedia {
  readonly path: string;
  readonly mimeType: string;
  readonly filename: string;
}

/** What is known about a file before its type is decided. */
interface Evidence {
  readonly source: MediaSource;
  /** What the server, or the caller's form, says of the file. */
  readonly described: Omit<RemoteFile, 'size' | 'pathName'> & Partial<Pick<RemoteFile, 'pathName'>>;
  readonly content: FileContent;
}

/**
 * Provides media as a file with a type and a name, and runs `work` with it. A `url` is fetched within `fetchMs`, and the
 * configured limit. A file that cannot be sent as that kind, even converted, is `invalid_request`, or
 * `media_unavailable` if it came from a `url`; the error names its type.
 */
export async function withMedia<R>(
  kind: MediaKind,
  source: MediaSource,
  fetchMs: number,
  { uploadsDir, spoolDir, spoolShare, fetchLimits }: HandlerDependencies,
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
    const described = fetched ?? { mimeType: source.base64?.mimeType, filename: source.base64?.filename };
    const evidence = { source, described, content: await contentOf(path) };
    const mimeType = kind === 'document' ? await documentType(evidence) : await mediaType(kind, evidence);
    return await work({ path, mimeType, filename: await nameOf(kind, mimeType, evidence) });
  } finally {
    if (fetchedPath) await rm(fetchedPath, { force: true });
    held.release();
  }
}

/**
 * The type of a document: what the caller says, what its bytes are, what its name stands for, what the server says. A
 * type that says little, such as ZIP or text, is used only if nothing says more.
 */
async function documentType({ source, described, content }: Evidence): Promise<string> {
  const served = described.mimeType;
  const isPage = served !== undefined && bareType(served) === 'text/html' && content.mimeType === 'text/html';
  const ofName = async (name: string | undefined) => {
    const type = await typeOfName(name);
    // Extensions of source code are those of media, too.
    return content.isText && /^(audio|video|image)\/(?!svg)/.test(type ?? '') ? undefined : type;
  };
  const candidates = [
    content.mimeType,
    isPage ? undefined : await ofName(source.filename ?? described.filename),
    isPage ? undefined : served,
    isPage ? undefined : await ofName(described.pathName),
  ];
  const known = [...candidates, content.mimeType, served].filter((type) => type !== undefined);
  const best = source.mimeType ?? known.find((type) => !isGeneric(type)) ?? known.find((type) => type !== UNKNOWN_TYPE);
  return knownType(best ?? UNKNOWN_TYPE, 'document');
}

/** The type of media that are shown or played: that of their bytes, if those tell. */
async function mediaType(kind: MediaKind, { source, described, content }: Evidence): Promise<string> {
  const said = source.mimeType ?? '';
  const isSaid = said !== '' && !isGeneric(said);
  if (said !== '' && bareType(said) !== UNKNOWN_TYPE && !isOfKind(kind, said))
    throw invalidRequest([{ path: 'mimeType', message: `must be a MIME type for ${kind}` }]);
  const known = [
    content.mimeType,
    isSaid ? said : undefined,
    described.mimeType,
    await typeOfName(source.filename ?? described.filename ?? described.pathName),
  ].filter((type) => type !== undefined);
  const found = known.find((type) => bareType(type) !== UNKNOWN_TYPE);
  const type = found === undefined ? undefined : knownType(found, kind);
  if (type !== undefined && isConvertible(kind, type)) return type;
  const what = type === undefined ? 'is of an unknown type' : `is of type ${type}`;
  throw refused(source, `${what}, but must be ${supportedNames(kind)}`);
}

/** True if the caller may say so: a type of this kind that is not supported is named in the error of the file. */
function isOfKind(kind: MediaKind, said: string): boolean {
  const type = knownType(said, kind);
  const family = kind === 'sticker' ? 'image' : kind;
  return type.startsWith(`${family}/`) || isConvertible(kind, type);
}

function refused({ url }: MediaSource, problem: string): GatewayError {
  if (url !== undefined) return new GatewayError('media_unavailable', `the file at the url ${problem}`);
  return invalidRequest([{ path: 'base64', message: problem }]);
}

async function nameOf(kind: MediaKind, mimeType: string, { source, described, content }: Evidence): Promise<string> {
  if (source.filename !== undefined) return source.filename;
  const name = kind === 'document' ? (described.filename ?? described.pathName) : undefined;
  // A default name: without one, the library uses "undefined".
  return name === undefined
    ? `${kind}.${await extensionFor(mimeType, content)}`
    : withExtension(name, mimeType, content);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw new GatewayError('client_failed', `the file is gone; nothing was sent (${errorText(error)})`);
  }
}
