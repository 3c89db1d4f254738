import { encode, type ImageData } from 'fast-png';
import encodeQR from 'qr';
import { expect, it } from 'vitest';
import { readQr } from './qr-image.ts';

const text = `2@${'Ab3+'.repeat(24)},${'k'.repeat(43)}=,${'i'.repeat(43)}=,${'s'.repeat(43)}=,1`;
const dark = encodeQR(text, 'raw', { scale: 4, border: 4 });

/** A picture of the QR with the samples that `pixel` gives. */
function picture(channels: 1 | 2 | 3 | 4, pixel: (isDark: boolean) => number[]): string {
  const data = Uint8Array.from(dark.flatMap((row) => row.flatMap(pixel)));
  const image: ImageData = { width: dark.length, height: dark.length, data, channels, depth: 8 };
  return `data:image/png;base64,${Buffer.from(encode(image)).toString('base64')}`;
}

it('returns a text unchanged', () => {
  expect(readQr(text)).toBe(text);
});

it.each([
  ['grey', picture(1, (isDark) => [isDark ? 0 : 255])],
  ['colour', picture(3, (isDark) => (isDark ? [20, 20, 60] : [250, 250, 240]))],
  ['colour with transparency', picture(4, (isDark) => [0, 0, 0, isDark ? 255 : 0])],
])('reads a picture in %s', (_name, url) => {
  expect(readQr(url)).toBe(text);
});

it('refuses anything that is not a picture of a QR', () => {
  expect(() => readQr('data:image/png;base64,AAAA')).toThrow('shows no QR');
  expect(() => readQr('data:image/jpeg;base64,AAAA')).toThrow('must be a PNG');
  expect(() => readQr(picture(1, () => [255]))).toThrow('shows no QR');
});
