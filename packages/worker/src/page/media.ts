import { within } from './delay.ts';
import type { PageMessage } from './models.ts';
import { networkCode, Refusal, refusedByNetwork } from './refusal.ts';
import { download, drop, files, keep } from './tools/files.ts';
import { lidOf, optional, phoneOr } from './tools/identities.ts';
import { findMessage, noMessage } from './tools/messages.ts';
import { networkId, registeredId } from './tools/number-forms.ts';

/** In pixels. */
const STICKER_SIDE = 512;

/** Inputs into which the browser puts files, by the keys of the files. */
const inputs = new Map<string, HTMLInputElement>();

/** An input for the file with that key. */
export function openFileInput(key: string): HTMLInputElement {
  const input = window.document.createElement('input');
  input.type = 'file';
  inputs.set(key, input);
  return input;
}

/** Stores the file of its input under a key. */
export function keepFile(key: string): void {
  const file = inputs.get(key)?.files?.[0];
  inputs.delete(key);
  if (!file) throw new Error('the page has no file from the browser');
  keep(key, file);
}

/** Drops a file, even one that arrives later: its request has ended. */
export function dropFile(key: string): void {
  inputs.delete(key);
  drop(key);
}

/** Media loaded in the page. */
export interface LoadedMedia {
  readonly size: number;
  readonly mimeType: string | undefined;
  readonly filename: string | undefined;
  /** The SHA-256 of the bytes in base64, if it is known. */
  readonly sha256?: string | undefined;
}

async function messageWithMedia(messageId: string): Promise<PageMessage> {
  const message = await findMessage(messageId);
  if (!message) throw noMessage();
  if (!message.directPath || !message.mediaData) throw new Refusal('media_not_found', 'the message has no media');
  return message;
}

/** What a message says of its media, which are not downloaded; null if it does not say their size. */
export async function describeMedia(messageId: string): Promise<LoadedMedia | null> {
  const { size, mimetype, filename, filehash } = await messageWithMedia(messageId);
  return typeof size === 'number' && size >= 0 ? { size, mimeType: mimetype, filename, sha256: filehash } : null;
}

/** Downloads and decrypts a message's media into the page, under a key. The page's own download runs first, for `waitMs`. */
export async function loadMedia(messageId: string, key: string, waitMs: number): Promise<LoadedMedia> {
  const message = await messageWithMedia(messageId);
  const stage = await download(message, waitMs);
  if (stage === 'REUPLOADING' || stage === 'ERROR_MISSING') throw gone();
  if (stage === 'FETCHING') throw new Refusal('client_failed', 'the page is still downloading the media; retry later');

  // The page requires a performance marker for each download.
  const stub: Record<string, unknown> = {
    isActive: () => false,
    getQPLAttrs: () => ({ markerId: 0, instanceKey: 0 }),
  };
  for (const name of ['addAnnotations', 'addPoint', 'start', 'endSuccess', 'endFail', 'endFailWithError', 'endCancel'])
    stub[name] = () => stub;
  const measure = optional('WAWebStartMediaDownloadQpl')?.startMediaDownloadQpl;
  const { directPath, encFilehash, filehash, mediaKey, mediaKeyTimestamp, mimetype, filename } = message;
  const type = window.require('WAWebMmsMediaTypes').getMsgMediaType(message);
  const decrypted = (asType: string | undefined) =>
    window.require('WAWebDownloadManager').downloadManager.downloadAndMaybeDecrypt({
      directPath,
      encFilehash,
      filehash,
      mediaKey,
      mediaKeyTimestamp,
      type,
      mimetype: asType,
      signal: new AbortController().signal,
      downloadQpl: measure?.({ entryPoint: 'MediaDownload' }) ?? stub,
    });
  // The page accepts only the types that it can show. The bytes are the same for any type.
  const plain: Readonly<Record<string, string>> = {
    image: 'image/jpeg',
    sticker: 'image/webp',
    video: 'video/mp4',
    gif: 'video/mp4',
    ptv: 'video/mp4',
    audio: 'audio/mpeg',
    ptt: 'audio/ogg; codecs=opus',
  };
  try {
    const bytes = await decrypted(mimetype).catch((error: { name?: string; message?: string } | undefined) => {
      const isType = error?.name === 'InvalidMediaFileType' || /Unexpected mimetype/.test(String(error?.message));
      if (isType && plain[type] && plain[type] !== mimetype) return decrypted(plain[type]);
      throw error;
    });
    const file = new Blob([bytes]);
    keep(key, file);
    return { size: file.size, mimeType: mimetype, filename, sha256: filehash };
  } catch (error) {
    const { name = '', message: text = '', ...fields } = (error ?? {}) as Partial<Error> & Record<string, unknown>;
    const status = Number(fields.status ?? fields.statusCode);
    if (status === 404 || status === 410 || /MediaNotFound|MediaNotOnPhone|MediaNeedsReupload/.test(name)) throw gone();
    if (status === 429 || status === 507) throw refusedByNetwork(429);
    throw new Error(`${name || 'Error'}: ${text}`); // Errors lose their class when they leave the page.
  }
}

function gone() {
  return new Refusal(
    'media_not_found',
    'the network does not have the media: they have expired, or are not uploaded yet',
  );
}

/** Queries the picture of a person or a group; null if none is visible. */
export async function loadPicture(chatId: string, key: string, eachMs: number): Promise<LoadedMedia | null> {
  const { Chat } = window.require('WAWebCollections');
  const { requestProfilePicFromServer } = window.require('WAWebContactProfilePicThumbBridge');
  let wid = window.require('WAWebWidFactory').createWid(networkId(chatId));
  const isGroup = chatId.endsWith('@g.us');
  // The hidden id first: the picture's token belongs to it, and a query by number may get no answer.
  if (!isGroup && !lidOf(wid)) {
    try {
      const id = await registeredId(chatId);
      if (id === undefined) return null;
      wid = window.require('WAWebWidFactory').createWid(id);
    } catch (error) {
      if (networkCode(error) === undefined) throw error;
      throw refusedByNetwork(429);
    }
  }
  const ids = [...new Set([lidOf(wid), phoneOr(wid)])].filter((id) => id !== undefined);
  let url: string | undefined;
  let isLater = false;
  let isNone = false;
  for (const id of ids) {
    const person = window.require('WAWebWidFactory').createWid(id);
    const tcToken = Chat.get(id)?.tcToken;
    const asked = requestProfilePicFromServer({ id: person, ...(tcToken ? { tcToken } : {}) }).catch(
      (error: unknown) => {
        const refused = networkCode(error);
        if (refused === undefined) throw error;
        return refused === 429 || refused === 423 ? { stale: true } : { tag: '' };
      },
    );
    const answer: { eurl?: string; tag?: string; stale?: boolean } | 'late' | undefined = await within(
      asked,
      eachMs,
      'late',
    );
    if (answer === 'late') {
      isLater = true;
      continue;
    }
    if (answer?.eurl) {
      url = answer.eurl;
      break;
    }
    if (answer?.tag === '') isNone = true; // For this id: the picture may belong to the other one.
    if (answer?.stale || answer?.tag === undefined) isLater = true;
  }
  if (!url) {
    if (isLater && !isNone) throw refusedByNetwork(429);
    return null;
  }
  const response = await fetch(url);
  if ([403, 404, 410].includes(response.status)) return null;
  if (!response.ok) throw new Error(`the picture's server answered ${response.status}`);
  const picture = await response.blob();
  keep(key, picture);
  return { size: picture.size, mimeType: picture.type, filename: undefined };
}

/** The file with that key, as bytes: read as text, a character cut in two by a chunk would be lost. */
export function heldFile(key: string): Blob | undefined {
  return files.get(key)?.slice(0, undefined, 'application/octet-stream');
}

/**
 * Converts an image to a sticker: WebP, 512 by 512, aspect ratio kept, in the best quality of at most `maxBytes`. False
 * if it is not an image.
 */
export async function makeSticker(key: string, maxBytes: number): Promise<boolean> {
  const image = files.get(key);
  if (!image) return false;
  try {
    const bitmap = await createImageBitmap(image);
    const scale = STICKER_SIDE / Math.max(bitmap.width, bitmap.height);
    const [width, height] = [bitmap.width * scale, bitmap.height * scale];
    const canvas = new OffscreenCanvas(STICKER_SIDE, STICKER_SIDE);
    const context = canvas.getContext('2d');
    if (!context) return false;
    context.drawImage(bitmap, (STICKER_SIDE - width) / 2, (STICKER_SIDE - height) / 2, width, height);
    for (const quality of [0.8, 0.6, 0.4, 0.2, 0]) {
      const sticker = await canvas.convertToBlob({ type: 'image/webp', quality });
      files.set(key, sticker);
      if (sticker.size <= maxBytes) break;
    }
    return true;
  } catch {
    return false;
  }
}
