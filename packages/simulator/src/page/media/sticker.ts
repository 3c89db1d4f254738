const side = 512;

/** A picture as a sticker: fitted into a square, as webp. */
export async function toWebpSticker(file: Blob): Promise<Blob> {
  const image = await createImageBitmap(file);
  const scale = side / Math.max(image.width, image.height);
  const [width, height] = [image.width * scale, image.height * scale];
  const canvas = new OffscreenCanvas(side, side);
  canvas.getContext('2d')?.drawImage(image, (side - width) / 2, (side - height) / 2, width, height);
  image.close();
  return canvas.convertToBlob({ type: 'image/webp' });
}
