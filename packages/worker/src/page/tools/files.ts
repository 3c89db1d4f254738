import type { PageWindow } from '../window.ts';

declare const window: PageWindow;

/** Files on their way into a message, and blobs on their way out of one. */
export interface FileTools {
  /** Files on their way into a message, and blobs on their way out of one, by a key of ours. */
  readonly files: Map<string, Blob>;
  /** Keeps a file, unless it has been dropped before it came. */
  keep(key: string, file: Blob): void;
  drop(key: string): void;
}

/** Leaves in the page what keeps files, and mends what the library does with them. */
export function installFileTools(): void {
  const files = new Map<string, Blob>();
  const dropped = new Set<string>();
  const lateMs = 600_000;

  const tools: FileTools = {
    files,
    keep: (key, file) => {
      if (!dropped.delete(key)) files.set(key, file);
    },
    drop: (key) => {
      if (files.delete(key)) return;
      dropped.add(key);
      setTimeout(() => dropped.delete(key), lateMs); // Most never come: there was nothing to load.
    },
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };

  // Media come as files that the browser has read from disk itself; the library would have them as one base64 string.
  const mediaInfoToFile = window.WWebJS.mediaInfoToFile;
  window.WWebJS.mediaInfoToFile = (info) => {
    const file = files.get(info.data);
    return file ? new File([file], info.filename ?? '', { type: info.mimetype }) : mediaInfoToFile(info);
  };

  // The library spreads this model into the message: an id of the model's own, where builds since September 2026 have
  // one, would take the place of the message's. The model itself still needs it, so that it is hidden, not deleted.
  const processMediaData = window.WWebJS.processMediaData;
  window.WWebJS.processMediaData = async (info, options) => {
    const media = await processMediaData(info, options);
    if (Object.hasOwn(media, '__x_id')) Object.defineProperty(media, '__x_id', { enumerable: false });
    return media;
  };
}
