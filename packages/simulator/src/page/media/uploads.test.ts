import { expect, it } from 'vitest';
import { OpaqueData } from './media-data.ts';
import { mediaTypeOf, prepareMedia } from './uploads.ts';

it.each([
  ['image/png', {}, 'image'],
  ['video/mp4', {}, 'video'],
  ['audio/mpeg', {}, 'audio'],
  ['audio/ogg; codecs=opus', { isPtt: true }, 'ptt'],
  ['image/png', { isPtt: true }, 'image'],
  ['image/webp', { asSticker: true }, 'sticker'],
  ['image/png', { asDocument: true }, 'document'],
  ['application/pdf', {}, 'document'],
  ['nonsense', {}, 'document'],
])('makes of %s with %j a message of type %s', (mimeType, intent, type) => {
  expect(mediaTypeOf(mimeType, intent)).toBe(type);
});

it('keeps the name of a document, and the bytes unchanged', async () => {
  const file = new File(['hello'], 'report.pdf', { type: 'application/pdf' });
  const media = await prepareMedia(await OpaqueData.createFromData(file, file.type), {}).waitForPrep();
  expect(media.serialize()).toMatchObject({
    type: 'document',
    filename: 'report.pdf',
    size: 5,
    mimetype: 'application/pdf',
    filehash: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
  });
});

it('gives a file without a type the generic one', async () => {
  expect((await OpaqueData.createFromData(new Blob(['x']), '')).type()).toBe('application/octet-stream');
});
