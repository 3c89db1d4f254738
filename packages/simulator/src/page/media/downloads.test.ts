import { expect, it } from 'vitest';
import { InvalidMediaFileType, mediaTypeOfMessage, requireMediaType } from './downloads.ts';

it.each([
  ['image', 'image/png'],
  ['gif', 'video/mp4'],
  ['ptt', 'audio/ogg; codecs=opus'],
  ['document', undefined],
  ['document', 'application/x-anything'],
])('lets %s of type %s be downloaded', (mediaType, mimeType) => {
  expect(() => requireMediaType(mediaType, mimeType)).not.toThrow();
});

it.each([
  ['image', undefined, 'Unexpected mimetype application/octet-stream for media type image'],
  ['ptt', 'audio/ogg', 'Unexpected mimetype audio/ogg for media type ptt'],
  ['sticker', 'image/png', 'Unexpected mimetype image/png for media type sticker'],
])('refuses %s of type %s', (mediaType, mimeType, message) => {
  expect(() => requireMediaType(mediaType, mimeType)).toThrow(
    expect.objectContaining({ name: 'InvalidMediaFileType', message, mediaType }),
  );
  expect(() => requireMediaType(mediaType, mimeType)).toThrow(InvalidMediaFileType);
});

it('returns the kind of a message, and throws for a text', () => {
  expect(mediaTypeOfMessage({ type: 'video', isGif: true })).toBe('gif');
  expect(mediaTypeOfMessage({ type: 'ptt' })).toBe('ptt');
  expect(() => mediaTypeOfMessage({ type: 'chat' })).toThrow('msg is not a media msg: chat');
});
