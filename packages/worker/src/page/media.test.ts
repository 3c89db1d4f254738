import { expect, it } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { loadForward } from './forwarding.ts';
import { loadMedia } from './media.ts';

/** A page whose own download ends in that stage, with this direct download. */
function page(stage: string, direct: () => Promise<unknown>): void {
  const message = {
    directPath: '/v/1',
    mediaData: { mediaStage: stage },
    mimetype: 'image/png',
    downloadMedia: async () => {},
  };
  stubPage({
    WAWebCollections: { Msg: { get: () => message } },
    WAWebMmsMediaTypes: { getMsgMediaType: () => 'image' },
    WAWebDownloadManager: { downloadManager: { downloadAndMaybeDecrypt: direct } },
    WAWebMsgActionCapability: { canForwardMsg: () => false },
  });
}

const bytes = async () => new Uint8Array(3);
const status = (code: number) => () => Promise.reject(Object.assign(new Error('refused'), { status: code }));

it.each([
  ['RESOLVED', bytes, { size: 3, mimeType: 'image/png', filename: undefined }],
  // The page failed in a step after its download, or at the first host: the direct download decides.
  ['ERROR_UNKNOWN', bytes, { size: 3, mimeType: 'image/png', filename: undefined }],
  ['ERROR_UNKNOWN', status(404), 'gone'],
  ['ERROR_UNKNOWN', status(429), 'later'],
  ['ERROR_MISSING', bytes, 'gone'],
  ['REUPLOADING', bytes, 'gone'],
  ['FETCHING', bytes, 'unfinished'],
])('media at %s', async (stage, direct, outcome) => {
  page(stage, direct);
  expect(await loadMedia('x', 'key', 10)).toEqual(outcome);
});

it('errors of the direct download have a name', async () => {
  page('ERROR_UNKNOWN', () => Promise.reject(new Error('no connection')));
  await expect(loadMedia('x', 'key', 10)).rejects.toThrow('Error: no connection');
});

it.each([
  ['RESOLVED', 'not_forwardable'],
  ['FETCHING', 'not_downloaded'],
  ['ERROR_UNKNOWN', 'not_downloaded'],
  ['ERROR_MISSING', 'gone'],
  ['REUPLOADING', 'gone'],
])('a file to forward at %s', async (stage, outcome) => {
  page(stage, bytes);
  expect(await loadForward('x', 10)).toBe(outcome);
});
