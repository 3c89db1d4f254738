import { cutText } from '@chat-web/protocol';
import type { FileContent } from './file-content.ts';
import { bareType, isGeneric } from './media-types.ts';

/** In characters, as in a request. */
export const MAX_NAME_LENGTH = 255;
export const EXTENSION = /\.([a-z0-9]{1,10})$/i;
/** Where the table has a rare one first. */
const USUAL_EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/aac': 'aac',
  'video/quicktime': 'mov',
};
/** Programs on a server: the name of a page that makes a file. */
const PROGRAMS = new Set(['php', 'asp', 'aspx', 'ashx', 'jsp', 'do', 'cgi', 'pl']);

/** The type that the extension of a name stands for. */
export async function typeOfName(name: string | undefined): Promise<string | undefined> {
  const { lookup } = await import('mime-types');
  const extension = extensionIn(name);
  return (extension && !PROGRAMS.has(extension) && lookup(`.${extension}`)) || undefined;
}

/** The usual extension for a type; `bin` if there is none. */
export async function extensionFor(type: string, { mimeType, extension }: FileContent): Promise<string> {
  if (mimeType === type && extension) return extension;
  const { extension: look } = await import('mime-types');
  return USUAL_EXTENSIONS[bareType(type)] ?? (look(type) || 'bin');
}

/** The name, with an extension for its type if it has none that says anything. */
export async function withExtension(name: string, type: string, content: FileContent): Promise<string> {
  if ((await typeOfName(name)) !== undefined) return name;
  if (isGeneric(type) && extensionIn(name) !== undefined) return name;
  const extension = await extensionFor(type, content);
  return extension === 'bin' ? name : `${cutText(name, MAX_NAME_LENGTH - extension.length - 1)}.${extension}`;
}

function extensionIn(name: string | undefined): string | undefined {
  return EXTENSION.exec(name ?? '')?.[1]?.toLowerCase();
}
