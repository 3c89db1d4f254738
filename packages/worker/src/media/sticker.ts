import { stat } from 'node:fs/promises';
import { GatewayError } from '@chat-web/protocol';
import { isAnimated, webpHeader } from './image-details.ts';
import type { OutgoingMedia } from './outgoing-media.ts';

/** In pixels: phones show no other stickers. */
export const STICKER_SIDE = 512;
export const MAX_STILL_STICKER_BYTES = 102_400;
export const MAX_ANIMATED_STICKER_BYTES = 512_000;

/**
 * The conversion that an image needs before phones take it for a sticker. `media_unavailable` for an animated WebP that
 * they reject, which no tool here can convert.
 */
export async function stickerConversion({ path, mimeType }: OutgoingMedia): Promise<'none' | 'still' | 'animation'> {
  if (mimeType !== 'image/webp') return (await isAnimated(path, mimeType)) ? 'animation' : 'still';
  const header = await webpHeader(path);
  const { size } = await stat(path);
  const isSquare = header?.width === STICKER_SIDE && header.height === STICKER_SIDE;
  if (!header?.isAnimated) return isSquare && size <= MAX_STILL_STICKER_BYTES ? 'none' : 'still';
  if (isSquare && size <= MAX_ANIMATED_STICKER_BYTES) return 'none';
  const found = `it has ${header.width} x ${header.height} pixels and ${Math.ceil(size / 1_024)} KB`;
  throw new GatewayError(
    'media_unavailable',
    `an animated WebP sticker must have ${STICKER_SIDE} x ${STICKER_SIDE} pixels and at most ${MAX_ANIMATED_STICKER_BYTES / 1_024} KB, but ${found}; nothing was sent`,
  );
}
