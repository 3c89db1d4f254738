import { holds, resultWithin } from '../delay.ts';
import type { PageId, PageMessage } from '../models.ts';
import { Refusal, requireSuccess } from '../refusal.ts';
import { optional } from './identities.ts';
import { knownChat } from './messages.ts';

/** A picture of a person or a group, as data URLs of JPEGs. */
interface Picture {
  /** 96 by 96. */
  readonly thumbnail: string;
  /** 640 by 640. */
  readonly picture: string;
}

/** By key. */
export const files = new Map<string, Blob>();

const dropped = new Set<string>();

const LATE_MS = 600_000;

async function squareOf(image: ImageBitmap, size: number): Promise<string> {
  const side = Math.min(image.width, image.height);
  const [x, y] = [Math.floor((image.width - side) / 2), Math.floor((image.height - side) / 2)];
  const canvas = new OffscreenCanvas(size, size);
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  context.fillStyle = '#fff'; // JPEG has no transparency: it would turn black.
  context.fillRect(0, 0, size, size);
  context.drawImage(image, x, y, side, side, 0, 0, size, size);
  const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 });
  const bytes = Array.from(new Uint8Array(await jpeg.arrayBuffer()), (byte) => String.fromCharCode(byte));
  return `data:image/jpeg;base64,${btoa(bytes.join(''))}`;
}

async function pictureOf(key: string): Promise<Picture | undefined> {
  try {
    const image = await createImageBitmap(files.get(key) as Blob);
    return { thumbnail: await squareOf(image, 96), picture: await squareOf(image, 640) };
  } catch {
    return undefined;
  }
}

/**
 * Changes the picture of the account or of a group to the middle square of the image with that key. Throws the page's
 * errors.
 */
export async function setPicture(wid: PageId | undefined, key: string): Promise<void> {
  const urls = await pictureOf(key);
  if (!urls)
    throw new Refusal('media_unavailable', 'the browser cannot read the file as an image; nothing was changed');
  const sendPicture = optional('WAWebSendProfilePictureJob');
  if (typeof sendPicture !== 'function') {
    const { sendSetPicture } = window.require('WAWebContactProfilePicThumbBridge');
    requireSuccess(await sendSetPicture(wid, urls.thumbnail, urls.picture));
    return;
  }
  // The page's own function also queries the new picture: if that fails, so does the function, although it was set.
  const jpeg = atob(urls.picture.slice(urls.picture.indexOf(',') + 1));
  await sendPicture(
    wid,
    Uint8Array.from(jpeg, (byte) => byte.charCodeAt(0)),
  );
  const { changeProfilePicThumb: refresh } = optional('WAWebChangeProfilePicThumb') ?? {};
  const { ProfilePicCommand: commands } = optional('WAWebProfilePicConstants') ?? {};
  void Promise.resolve()
    .then(() => refresh?.(wid, commands?.Set))
    .catch(() => {}); // The page shows it later.
}

/** Removes the picture. Throws the page's errors. */
export async function removePicture(wid: PageId | undefined): Promise<void> {
  const { requestDeletePicture } = window.require('WAWebContactProfilePicThumbBridge');
  requireSuccess(await requestDeletePicture(wid));
}

/**
 * Makes the page download a message's media, unless it has them, with a time limit. Returns their stage: `FETCHING`
 * if this download or an earlier one is still running.
 */
export async function download(message: PageMessage, timeoutMs: number): Promise<string> {
  const { mediaData } = message;
  const stage = () => mediaData?.mediaStage ?? '';
  if (stage() === 'RESOLVED' || stage() === 'REUPLOADING') return stage();
  const endsAt = Date.now() + timeoutMs;
  // As if by the user: otherwise the page does not download media from people who are not in the address book. In a
  // suspended group, it would only open a dialog.
  const isUserInitiated = knownChat(String(message.id.remote))?.isSuspendedOrTerminated?.() !== true;
  const asked = message.downloadMedia({ downloadEvenIfExpensive: true, isUserInitiated, rmrReason: 1 });
  // The stage shows the outcome.
  await resultWithin(asked, timeoutMs);
  await holds(() => stage() !== 'FETCHING', endsAt - Date.now());
  return stage();
}

/** Stores a file, unless its key was dropped before. */
export function keep(key: string, file: Blob): void {
  if (!dropped.delete(key)) files.set(key, file);
}

export function drop(key: string): void {
  if (files.delete(key)) return;
  dropped.add(key);
  setTimeout(() => dropped.delete(key), LATE_MS); // Most never arrive: there was nothing to load.
}
