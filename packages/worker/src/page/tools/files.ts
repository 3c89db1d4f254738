import type { PageWindow } from '../window.ts';

declare const window: PageWindow;

/** Keeps files for uploads, and media for downloads. */
export interface FileTools {
  /** By key. */
  readonly files: Map<string, Blob>;
  /** Keeps a file, unless its key was dropped before. */
  keep(key: string, file: Blob): void;
  drop(key: string): void;
}

/** Installs the tools for files, and patches the library's functions that use them. */
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
      setTimeout(() => dropped.delete(key), lateMs); // Most never arrive: there was nothing to load.
    },
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };

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
    const media = await processMediaData(info, options);
    if (Object.hasOwn(media, '__x_id')) Object.defineProperty(media, '__x_id', { enumerable: false });
    return media;
  };
}
