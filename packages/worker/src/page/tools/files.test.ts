import { describe, expect, it, vi } from 'vitest';
import { type FileTools, installFileTools } from './files.ts';

const fail = () => {
  throw new TypeError('it has another form');
};

/** A page that sets pictures, and shows them with this function. */
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
])('a picture is set even if showing it %s', async (_, show) => {
  expect(await page(show).setPicture(undefined, 'key')).toBe('ok');
});

describe('a download', () => {
  /**
   * Downloads in a page with media at that stage; `act` is the page's own download. Returns the stage and the calls.
   */
  const download = async (mediaStage: string, act: (media: { mediaStage: string }) => Promise<unknown>) => {
    const mediaData = { mediaStage };
    const downloadMedia = vi.fn(() => act(mediaData));
    const stage = await page(fail).download({ mediaData, downloadMedia } as never, 300);
    return [stage, downloadMedia.mock.calls.length];
  };

  it.each(['RESOLVED', 'REUPLOADING'])('is not started if the media are %s', async (stage) => {
    expect(await download(stage, async () => {})).toEqual([stage, 0]);
  });

  it('waits for one that is already running', async () => {
    const end = async (media: { mediaStage: string }) => {
      setTimeout(() => Object.assign(media, { mediaStage: 'RESOLVED' }), 50);
    };
    expect(await download('FETCHING', end)).toEqual(['RESOLVED', 1]);
  });

  it.each([
    ['resolves too early', async () => {}],
    ['hangs', () => new Promise(() => {})],
  ])('that %s ends in time, and reports that it continues', async (_, act) => {
    expect(await download('FETCHING', act)).toEqual(['FETCHING', 1]);
  });

  it('that rejects ends with its stage as the outcome', async () => {
    const failing = async (media: { mediaStage: string }) => {
      media.mediaStage = 'ERROR_UNKNOWN';
      fail();
    };
    expect(await download('INIT', failing)).toEqual(['ERROR_UNKNOWN', 1]);
  });
});
