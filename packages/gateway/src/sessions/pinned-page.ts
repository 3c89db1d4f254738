import { join } from 'node:path';
import { type PinnedPage, savedPageFiles } from '@chat-web/protocol';
import * as v from 'valibot';
import { JsonFile } from '../host/json-file.ts';
import { readOwnText } from '../host/text-files.ts';

/** A document has some hundred KB, and is sent to a worker at each start. */
const MAX_DOCUMENT_BYTES = 4 * 1_048_576;
const MAX_HEADERS_BYTES = 65_536;
const storedHeaders = v.record(v.string(), v.string());

/**
 * Reads the saved document of a version, with its headers; a document that was added by hand has none. Read once, at
 * start: workers can write to the folder, and must not replace the page of all sessions. Rejects with a sentence if
 * there is no such document.
 */
export async function readPinnedPage(dir: string, version: string): Promise<PinnedPage> {
  const files = savedPageFiles(version);
  const path = join(dir, files.html);
  const html = await readOwnText(path, MAX_DOCUMENT_BYTES).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT'
        ? `names a page that is not saved: there is no ${files.html} in ${dir}`
        : `names a page that cannot be used: ${path} is not a regular file of at most ${MAX_DOCUMENT_BYTES} bytes`,
    );
  });
  return { version, html, headers: await headersOf(join(dir, files.headers)) };
}

async function headersOf(path: string): Promise<PinnedPage['headers']> {
  try {
    return (await new JsonFile(path, storedHeaders, MAX_HEADERS_BYTES).read()) ?? {};
  } catch {
    throw new Error(`names a page that cannot be used: ${path} does not contain its headers`);
  }
}
