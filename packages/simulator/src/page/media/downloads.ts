import { switches } from '../switches.ts';
import type { MediaData } from './media-data.ts';
import { MediaServerError, mediaServer } from './media-server.ts';
import { requireMediaType } from './media-types.ts';

/** Fetched and not requested yet. One at a time: a file is requested right after it was fetched. */
let fetched: { readonly directPath: string; readonly blob: Blob } | undefined;

/** Downloads a file, and sets `mediaStage` to the result. */
export async function resolveMedia(media: MediaData, directPath: string): Promise<void> {
  media.set({ mediaStage: 'FETCHING' });
  try {
    fetched = { directPath, blob: await mediaServer.fetch(directPath) };
    media.set({ mediaStage: 'RESOLVED' });
  } catch (error) {
    // The real page asks the sender's phone to upload it again, and shows a spinner meanwhile; here no phone does.
    const isGone = error instanceof MediaServerError && error.status === 404;
    media.set({ mediaStage: isGone ? 'REUPLOADING' : 'ERROR_UNKNOWN' });
  }
}

/** The options of a download. */
interface Download {
  readonly directPath: string;
  readonly type: string;
  readonly mimetype?: string;
  /** Collects the page's measurements; a download requires it. */
  readonly downloadQpl: { addAnnotations(annotations: object): unknown };
}

/** The bytes of a file; rejects with an error that has `status` 404 if the server has dropped it. */
export async function downloadMedia(download: Download): Promise<ArrayBuffer | Uint8Array | Blob> {
  const { directPath, type, mimetype, downloadQpl } = download;
  downloadQpl.addAnnotations({ string: { mediaType: type } });
  if (switches.downloads === 'typed') requireMediaType(type, mimetype);
  const present = fetched?.directPath === directPath ? fetched.blob : undefined;
  if (present) fetched = undefined;
  const blob = present ?? (await mediaServer.fetch(directPath));
  if (switches.downloadResult === 'blob') return blob;
  const bytes = await blob.arrayBuffer();
  return switches.downloadResult === 'uint8array' ? new Uint8Array(bytes) : bytes;
}
