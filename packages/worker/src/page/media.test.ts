import { expect, it } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { loadMedia } from './media.ts';
import { loadForward } from './messages.ts';

/** A page whose own download ends in that stage, with this direct download. */
function page(stage: string, direct: () => Promise<unknown>): void {
  const message = {
    id: { remote: '1@c.us' },
    directPath: '/v/1',
    mediaData: { mediaStage: stage },
    mimetype: 'image/png',
    downloadMedia: async () => {},
  };
  stubPage({
    WAWebCollections: { Msg: { get: () => message }, Chat: { get: () => undefined } },
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
  ['ERROR_UNKNOWN', status(404), 'media_not_found'],
  ['ERROR_UNKNOWN', status(429), 'rate_limited'],
  ['ERROR_MISSING', bytes, 'media_not_found'],
  ['REUPLOADING', bytes, 'media_not_found'],
  ['FETCHING', bytes, 'client_failed'],
])('media at %s', async (stage, direct, outcome) => {
  page(stage, direct);
  const loading = loadMedia('x', 'key', 10);
  if (typeof outcome === 'object') expect(await loading).toEqual(outcome);
  else await expect(loading).rejects.toMatchObject({ code: outcome });
});

it('errors of the direct download have a name', async () => {
  page('ERROR_UNKNOWN', () => Promise.reject(new Error('no connection')));
  await expect(loadMedia('x', 'key', 10)).rejects.toThrow('Error: no connection');
});

it.each([
  ['RESOLVED', 'not_permitted'],
  ['FETCHING', 'client_failed'],
  ['ERROR_UNKNOWN', 'client_failed'],
  ['ERROR_MISSING', 'media_not_found'],
  ['REUPLOADING', 'media_not_found'],
])('a file to forward at %s', async (stage, outcome) => {
  page(stage, bytes);
  await expect(loadForward('x', 10)).rejects.toMatchObject({ code: outcome });
});
