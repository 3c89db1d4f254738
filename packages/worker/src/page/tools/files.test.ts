import { afterEach, expect, it, vi } from 'vitest';
import { type FileTools, installFileTools } from './files.ts';

const fail = () => {
  throw new TypeError('it has another form');
};
afterEach(() => vi.unstubAllGlobals());

/** A page that sets pictures, and shows them by this function. */
function page(changeProfilePicThumb: () => unknown): FileTools {
  const sent = vi.fn(async () => {});
  const modules: Record<string, unknown> = {
    WAWebSendProfilePictureJob: sent,
    WAWebChangeProfilePicThumb: { changeProfilePicThumb },
  };
  class OffscreenCanvas {
    getContext = () => ({ fillRect: () => {}, drawImage: () => {} });
    convertToBlob = async () => new Blob(['jpeg']);
  }
  const window = {
    chatWebTools: { optional: (name: string) => modules[name] },
    WWebJS: {},
    OffscreenCanvas,
    createImageBitmap: async () => ({ width: 10, height: 20 }),
  };
  vi.stubGlobal('window', window);
  installFileTools();
  return window.chatWebTools as unknown as FileTools;
}

it.each([
  ['throws', () => fail()],
  ['rejects', async () => fail()],
  ['returns nothing', () => undefined],
])('a picture is set also where what shows it %s', async (_, show) => {
  expect(await page(show).setPicture(undefined, 'key')).toBe('ok');
});
