import type { GroupRefusal, PageWindow } from './window.ts';

declare const window: PageWindow;

/** Why a picture was not set. */
export type PictureRefusal = GroupRefusal | 'no_image';

/** Whether the page has a group. */
export function hasGroup(groupId: string): boolean {
  return Boolean(window.require('WAWebCollections').Chat.get(groupId));
}

/** Sends the middle square of an image, as JPEG of at most 640 by 640, as a group's picture. */
export async function setPicture(groupId: string, key: string, membersMs: number): Promise<'ok' | PictureRefusal> {
  const tools = window.chatWebTools;
  const own = await tools.ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const page = window as unknown as {
    createImageBitmap(image: Blob): Promise<{ width: number; height: number; close(): void }>;
    OffscreenCanvas: new (
      width: number,
      height: number,
    ) => {
      getContext(kind: '2d'): {
        fillStyle: string;
        fillRect(x: number, y: number, width: number, height: number): void;
        drawImage(image: object, ...box: number[]): void;
      };
      convertToBlob(options: { type: string; quality: number }): Promise<Blob>;
    };
    btoa(text: string): string;
  };
  const squareOf = async (image: Blob): Promise<Uint8Array> => {
    const mostSide = 640;
    const bitmap = await page.createImageBitmap(image);
    const cut = Math.min(bitmap.width, bitmap.height);
    const side = Math.min(cut, mostSide);
    const canvas = new page.OffscreenCanvas(side, side);
    const context = canvas.getContext('2d');
    // JPEG has no transparency: it would become black.
    context.fillStyle = 'white';
    context.fillRect(0, 0, side, side);
    const [x, y] = [(bitmap.width - cut) / 2, (bitmap.height - cut) / 2];
    context.drawImage(bitmap, ...[x, y, cut, cut, 0, 0, side, side]);
    bitmap.close();
    return new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 })).arrayBuffer());
  };
  let bytes: Uint8Array;
  try {
    bytes = await squareOf(tools.files.get(key) as Blob);
  } catch {
    return 'no_image';
  }
  const url = `data:image/jpeg;base64,${page.btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
  try {
    // The page sends only the second one.
    await window.require('WAWebContactProfilePicThumbBridge').sendSetPicture(own.group.id, url, url);
    return 'ok';
  } catch (error) {
    return tools.groupRefusal(error);
  }
}

/** Removes a group's picture. */
export async function removePicture(groupId: string, membersMs: number): Promise<'ok' | GroupRefusal> {
  const tools = window.chatWebTools;
  const own = await tools.ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  try {
    await window.require('WAWebContactProfilePicThumbBridge').requestDeletePicture(own.group.id);
    return 'ok';
  } catch (error) {
    return tools.groupRefusal(error);
  }
}
