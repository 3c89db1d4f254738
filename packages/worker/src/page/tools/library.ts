import { delay } from '../delay.ts';
import type { PageChat, PageId, PageMessage } from '../models.ts';
import { Refusal } from '../refusal.ts';

/** What the program uses of whatsapp-web.js, whose functions are on `window.WWebJS` once it is injected, and why. */

/** Media prepared by the library: a model of the page, with the library's own fields. */
type PageMedia = Record<string, unknown> & { toJSON?(): Record<string, unknown> };

/** A file that is sent. */
interface MediaInfo {
  /** Base64, or the key of a file in the page. */
  readonly data: string;
  readonly mimetype: string;
  readonly filename?: string;
  /** A video note. */
  readonly note?: boolean;
}

interface Library {
  getChat(id: string, options: { getAsModel: false }): Promise<PageChat | null | undefined>;
  sendMessage(chat: PageChat, content: string, options: object): Promise<PageMessage | undefined>;
  editMessage(message: PageMessage, content: string, options: object): Promise<PageMessage | undefined>;
  mediaInfoToFile(info: MediaInfo): File;
  processMediaData(info: MediaInfo, options: object): Promise<PageMedia>;
  enforceLidAndPnRetrieval(id: string): Promise<{ lid?: PageId; phone?: PageId }>;
}

/** Between two attempts to upload a file. */
const UPLOAD_PAUSE_MS = 2_000;

declare global {
  interface Window {
    WWebJS: Library;
  }
}

/** Finds a chat, or creates one. By name, the page's own function differs between builds. */
export function openChat(id: string): Promise<PageChat | null | undefined> {
  return window.WWebJS.getChat(id, { getAsModel: false });
}

/** Sends a message of any kind: the library builds the fields of each kind, and uploads media. */
export function sendMessage(chat: PageChat, content: string, options: object): Promise<PageMessage | undefined> {
  return window.WWebJS.sendMessage(chat, content, options);
}

/** Edits a message: the library builds its new fields. */
export function editMessage(message: PageMessage, text: string, options: object): Promise<PageMessage | undefined> {
  return window.WWebJS.editMessage(message, text, options);
}

/** The content of base64 as a file. */
export function base64File(data: string, mimetype: string): File {
  return window.WWebJS.mediaInfoToFile({ data, mimetype });
}

/** Encrypts and uploads media: the steps differ between builds. `data`: the key of a file. */
export function uploadMedia(
  media: { readonly data: string; readonly mimetype: string; readonly filename: string },
  options: { readonly sendToStatus: true },
): Promise<PageMedia> {
  return window.WWebJS.processMediaData(media, options);
}

/** The hidden id and the number of a person; queries the network if the page does not know both. For builds without usync. */
export function retrieveIds(id: string): Promise<{ lid?: PageId; phone?: PageId }> {
  return window.WWebJS.enforceLidAndPnRetrieval(id);
}

/** Repeats a failed upload once, as the page's own composer does: nothing has been sent yet. */
async function uploadedTwice(upload: () => Promise<PageMedia>): Promise<PageMedia> {
  const isUpload = (error: unknown) => /upload failed/.test(String(error));
  try {
    return await upload();
  } catch (error) {
    if (!isUpload(error)) throw error;
  }
  await delay(UPLOAD_PAUSE_MS);
  return upload().catch((error: unknown) => {
    throw isUpload(error) ? new Refusal('client_failed', 'the media could not be uploaded; nothing was sent') : error;
  });
}

/** Patches the library's functions that use files. `files`: those in the page, by key. */
export function attachLibrary(files: ReadonlyMap<string, Blob>): void {
  // Media are files that the browser has read from disk; the library expects one base64 string.
  const mediaInfoToFile = window.WWebJS.mediaInfoToFile;
  window.WWebJS.mediaInfoToFile = (info) => {
    const file = files.get(info.data);
    return file ? new File([file], info.filename ?? '', { type: info.mimetype }) : mediaInfoToFile(info);
  };

  // The library spreads this model into the message. Since September 2026 the model may have an id, which would
  // overwrite that of the message. The model itself needs it, so it is hidden, not deleted.
  const processMediaData = window.WWebJS.processMediaData;
  window.WWebJS.processMediaData = async (info, options) => {
    const media = await uploadedTwice(() => processMediaData(info, options));
    if (Object.hasOwn(media, '__x_id')) Object.defineProperty(media, '__x_id', { enumerable: false });
    // The page has no option for notes. It encrypts them as videos: only their messages have another type.
    if (info.note) media.type = 'ptv';
    return media;
  };
}
