import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { animatedWebp, apng, gif, mediaCorpus, webp } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { expect, it } from 'vitest';
import { stickerConversion } from './sticker.ts';

const dir = freshFolder();

function conversionOf(bytes: Buffer, mimeType: string) {
  const path = join(dir, 'image');
  writeFileSync(path, bytes);
  return stickerConversion({ path, mimeType, filename: 'a' });
}
const bytesOf = (name: string) => mediaCorpus.find((file) => file.name === name)?.bytes ?? Buffer.alloc(0);
/** A lossy WebP, by its header alone. */
const lossy = (width: number, height: number) => {
  const head = Buffer.from('52494646f401000057454250565038200a0000000000009d012a00000000', 'hex');
  head.writeUInt16LE(width, 26);
  head.writeUInt16LE(height, 28);
  return head;
};
const avis = Buffer.from(bytesOf('photo.avif'));
avis.write('avis', 8, 'latin1');

it.each<[what: string, bytes: Buffer, type: string, expected: string]>([
  ['a WebP of the right size', webp(512, 512), 'image/webp', 'none'],
  ['a lossy one', lossy(512, 512), 'image/webp', 'none'],
  ['an animated one', animatedWebp(512, 512), 'image/webp', 'none'],
  ['an animated one of 400 KB', animatedWebp(512, 512, 400_000), 'image/webp', 'none'],
  ['a WebP that is too wide', webp(1_000, 400), 'image/webp', 'still'],
  ['a lossy one that is too small', lossy(100, 60), 'image/webp', 'still'],
  ['a WebP of more than 100 KB', webp(512, 512, 110_000), 'image/webp', 'still'],
  ['a WebP without a valid header', bytesOf('photo.jpg'), 'image/webp', 'still'],
  ['a PNG', bytesOf('photo.png'), 'image/png', 'still'],
  ['a GIF with one frame', gif(1), 'image/gif', 'still'],
  ['a GIF with frames', gif(2), 'image/gif', 'animation'],
  ['a GIF that is cut off', gif(2).subarray(0, 50), 'image/gif', 'still'],
  ['a GIF without a block', gif(0).subarray(0, 13), 'image/gif', 'still'],
  ['an animated PNG', apng(), 'image/apng', 'animation'],
  ['an AVIF', bytesOf('photo.avif'), 'image/avif', 'still'],
  ['an animated AVIF', avis, 'image/avif', 'animation'],
])('%s', async (_, bytes, type, expected) => {
  expect(await conversionOf(bytes, type)).toBe(expected);
});

it.each([
  [1_000, 400, 600],
  [512, 512, 520_000],
])('an animated WebP of %i by %i pixels and %i bytes is refused with what is wrong', async (width, height, size) => {
  const message = expect.stringMatching(
    `must have 512 x 512 pixels and at most 500 KB, but it has ${width} x ${height}`,
  );
  const refused = conversionOf(animatedWebp(width, height, size), 'image/webp');
  await expect(refused).rejects.toMatchObject({ code: 'media_unavailable', message });
});

it('a GIF of many blocks is taken for an animation after some of them', async () => {
  const head = gif(1).subarray(0, -5);
  const bytes = Buffer.concat([head, Buffer.alloc(2 * 60_000, '\x01a', 'latin1')]);
  expect(await conversionOf(bytes, 'image/gif')).toBe('animation');
  expect(statSync(join(dir, 'image')).size).toBeGreaterThan(100_000);
});
