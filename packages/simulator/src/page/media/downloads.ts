import type { MediaData } from './media-data.ts';
import { MediaServerError, mediaServer } from './media-server.ts';

/** Fetched and not asked for yet. One at a time: whoever fetches a file asks for it next. */
let fetched: { readonly directPath: string; readonly blob: Blob } | undefined;

/** Brings a file to this machine, and says in `mediaStage` how that went. */
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

/** The bytes of a file; rejects with an error that has `status` 404 where the server has dropped it. */
export async function downloadMedia({ directPath }: { directPath: string }): Promise<ArrayBuffer> {
  const present = fetched?.directPath === directPath ? fetched.blob : undefined;
  if (present) fetched = undefined;
  return (present ?? (await mediaServer.fetch(directPath))).arrayBuffer();
}
