import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/** Keeps the file that an input element holds, under a key. */
export function keepFile(input: { readonly files: ArrayLike<Blob> }, key: string): void {
  const file = input.files[0];
  if (file) window.chatWebTools.keep(key, file);
}

/** Forgets a file, also one that is yet to come: whoever waited for it has gone. */
export function dropFile(key: string): void {
  window.chatWebTools.drop(key);
}

/** What is known of a message's media once they are in the page. */
export interface LoadedMedia {
  readonly size: number;
  readonly mimeType: string | undefined;
  readonly filename: string | undefined;
}

/** Downloads and decrypts a message's media into the page, under a key. */
export async function loadMedia(
  messageId: string,
  key: string,
): Promise<LoadedMedia | 'no_message' | 'no_media' | 'gone'> {
  const message = await window.chatWebTools.findMessage(messageId);
  if (!message) return 'no_message';
  const { mediaData } = message;
  if (!message.directPath || !mediaData) return 'no_media';
  if (mediaData.mediaStage === 'REUPLOADING') return 'gone';
  if (mediaData.mediaStage !== 'RESOLVED') {
    await message.downloadMedia({ downloadEvenIfExpensive: true, rmrReason: 1 });
  }
  const stage = mediaData.mediaStage ?? '';
  if (stage.includes('ERROR') || stage === 'FETCHING') return 'gone';
  // The page measures its downloads; the library hands it a measure that counts nothing, and so do we.
  const downloadQpl = { addAnnotations: () => downloadQpl, addPoint: () => downloadQpl };
  const { directPath, encFilehash, filehash, mediaKey, mediaKeyTimestamp, type, mimetype, filename } = message;
  try {
    const bytes = await window.require('WAWebDownloadManager').downloadManager.downloadAndMaybeDecrypt({
      ...{ directPath, encFilehash, filehash, mediaKey, mediaKeyTimestamp, type },
      signal: new AbortController().signal,
      downloadQpl,
    });
    window.chatWebTools.keep(key, new Blob([bytes]));
    return { size: bytes.byteLength, mimeType: mimetype, filename };
  } catch (error) {
    const status = (error as { status?: number } | undefined)?.status;
    if (status === 404 || status === 410) return 'gone';
    throw error;
  }
}

/** Downloads a person's picture into the page, under a key; null where there is none to be seen. */
export async function loadPicture(personId: string, key: string): Promise<LoadedMedia | null> {
  const id = window.require('WAWebWidFactory').createWid(personId);
  let url: string | undefined;
  try {
    url = (await window.require('WAWebContactProfilePicThumbBridge').requestProfilePicFromServer({ id }))?.eurl;
  } catch (error) {
    // The network's own refusal: no picture, or not for us.
    if (!window.chatWebTools.isRefusal(error)) throw error;
  }
  if (!url) return null;
  const response = await fetch(url);
  if ([403, 404, 410].includes(response.status)) return null;
  if (!response.ok) throw new Error(`the picture's server answered ${response.status}`);
  const picture = await response.blob();
  window.chatWebTools.keep(key, picture);
  return { size: picture.size, mimeType: picture.type, filename: undefined };
}

/** A slice of a kept file, as base64: a large result of one call costs many times its size. */
export async function readSlice(key: string, from: number, to: number): Promise<string> {
  const file = window.chatWebTools.files.get(key);
  if (!file) return '';
  const bytes = new Uint8Array(await file.slice(from, to).arrayBuffer());
  let text = '';
  const step = 32_768;
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(text);
}

/** Turns an image into what a sticker has to be: WebP, 512 by 512, its proportions kept. False if it is no image. */
export async function makeSticker(key: string): Promise<boolean> {
  const image = window.chatWebTools.files.get(key);
  if (!image) return false;
  const page = window as unknown as {
    createImageBitmap(image: Blob): Promise<{ width: number; height: number }>;
    OffscreenCanvas: new (
      width: number,
      height: number,
    ) => {
      getContext(kind: '2d'): { drawImage(image: object, x: number, y: number, width: number, height: number): void };
      convertToBlob(options: { type: string }): Promise<Blob>;
    };
  };
  try {
    const side = 512;
    const bitmap = await page.createImageBitmap(image);
    const scale = side / Math.max(bitmap.width, bitmap.height);
    const [width, height] = [bitmap.width * scale, bitmap.height * scale];
    const canvas = new page.OffscreenCanvas(side, side);
    canvas.getContext('2d').drawImage(bitmap, (side - width) / 2, (side - height) / 2, width, height);
    window.chatWebTools.files.set(key, await canvas.convertToBlob({ type: 'image/webp' }));
    return true;
  } catch {
    return false;
  }
}
