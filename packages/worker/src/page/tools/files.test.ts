import { describe, expect, it, vi } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import { download, setPicture } from './files.ts';

const fail = () => {
  throw new TypeError('it has another form');
};

/** A page that sets pictures, and shows them with this function. */
function page(changeProfilePicThumb: () => unknown): void {
  const modules = {
    WAWebSendProfilePictureJob: vi.fn(async () => {}),
    WAWebChangeProfilePicThumb: { changeProfilePicThumb },
  };
  class OffscreenCanvas {
    getContext = () => ({ fillRect: () => {}, drawImage: () => {} });
    convertToBlob = async () => new Blob(['jpeg']);
  }
  stubPage(modules);
  vi.stubGlobal('OffscreenCanvas', OffscreenCanvas);
  vi.stubGlobal('createImageBitmap', async () => ({ width: 10, height: 20 }));
}

it.each([
  ['throws', () => fail()],
  ['rejects', async () => fail()],
  ['returns nothing', () => undefined],
])('a picture is set even if showing it %s', async (_, show) => {
  page(show);
  await setPicture(undefined, 'key');
});

describe('a download', () => {
  /**
   * Downloads media at that stage; `act` is the page's own download. Returns the stage and the calls.
   */
  const downloaded = async (
    mediaStage: string,
    act: (media: { mediaStage: string }, options: object) => Promise<unknown>,
    isSuspended = false,
  ) => {
    stubPage({ WAWebCollections: { Chat: { get: () => ({ isSuspendedOrTerminated: () => isSuspended }) } } });
    const mediaData = { mediaStage };
    const downloadMedia = vi.fn((options: object) => act(mediaData, options));
    const stage = await download({ id: { remote: '9@g.us' }, mediaData, downloadMedia } as never, 300);
    return [stage, downloadMedia.mock.calls.length];
  };

  it.each(['RESOLVED', 'REUPLOADING'])('is not started if the media are %s', async (stage) => {
    expect(await downloaded(stage, async () => {})).toEqual([stage, 0]);
  });

  it('waits for one that is already running', async () => {
    const end = async (media: { mediaStage: string }) => {
      setTimeout(() => Object.assign(media, { mediaStage: 'RESOLVED' }), 50);
    };
    expect(await downloaded('FETCHING', end)).toEqual(['RESOLVED', 1]);
  });

  it.each([
    ['resolves too early', async () => {}],
    ['hangs', () => new Promise(() => {})],
  ])('that %s ends in time, and reports that it continues', async (_, act) => {
    expect(await downloaded('FETCHING', act)).toEqual(['FETCHING', 1]);
  });

  it('that rejects ends with its stage as the outcome', async () => {
    const failing = async (media: { mediaStage: string }) => {
      media.mediaStage = 'ERROR_UNKNOWN';
      fail();
    };
    expect(await downloaded('INIT', failing)).toEqual(['ERROR_UNKNOWN', 1]);
  });

  it('is one by the user, except in a suspended group, where the page would open a dialog', async () => {
    const asked: object[] = [];
    const end = async (media: { mediaStage: string }, options: object) => {
      asked.push(options);
      media.mediaStage = 'RESOLVED';
    };
    for (const isSuspended of [false, true]) await downloaded('INIT', end, isSuspended);
    expect(asked).toMatchObject([{ isUserInitiated: true }, { isUserInitiated: false }]);
  });
});
