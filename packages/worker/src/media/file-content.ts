import { open } from 'node:fs/promises';

/** What the bytes of a file say about it. */
export interface FileContent {
  readonly mimeType: string | undefined;
  readonly extension: string | undefined;
  /** UTF-8 or UTF-16, without control characters, as far as it was read. */
  readonly isText: boolean;
}

const HEAD_BYTES = 4_096;
/** Formats that are text themselves. Signatures of other formats are so short that a text may begin with one. */
const TEXT_FORMATS = /^(text\/|model\/|application\/(pdf|rtf|xml|postscript|eps|pgp-encrypted|x-ms-regedit)$)/;
const COMMENT = /<!--.*?-->/gs;
const MARKUP = [
  {
    begins: /^\s*(<\?xml[^>]*>\s*)?(<!doctype\s+svg[^>]*>\s*)?<svg[\s>]/i,
    mimeType: 'image/svg+xml',
    extension: 'svg',
  },
  { begins: /^\s*<(!doctype\s+html|html)[\s>]/i, mimeType: 'text/html', extension: 'html' },
] as const;
const CONTROL = /[^\P{Cc}\s]/u;

/** Reads the type of a file from its first bytes. */
export async function contentOf(path: string): Promise<FileContent> {
  const { fileTypeFromFile } = await import('file-type'); // Most sessions never send media.
  const head = await firstBytes(path, HEAD_BYTES);
  const text = asText(head);
  const found = await fileTypeFromFile(path);
  if (text === undefined) return { mimeType: found?.mime.toLowerCase(), extension: found?.ext, isText: false };
  const withoutComments = text.replace(COMMENT, '');
  const markup = MARKUP.find(({ begins }) => begins.test(withoutComments));
  if (markup) return { mimeType: markup.mimeType, extension: markup.extension, isText: true };
  if (found && TEXT_FORMATS.test(found.mime)) return { mimeType: found.mime, extension: found.ext, isText: true };
  return { mimeType: 'text/plain', extension: 'txt', isText: true };
}

/** The first bytes of a file, or all of a short one. */
export async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function asText(head: Buffer): string | undefined {
  try {
    const text = new TextDecoder(encodingOf(head), { fatal: true }).decode(head, { stream: true });
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** UTF-16 by its mark, as spreadsheets write it: the first bytes of some audio are the same. */
function encodingOf(head: Buffer): string {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
