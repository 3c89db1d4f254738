import { cutText } from '@chat-web/protocol';
import { decodeExtended, parse } from 'content-disposition';
import { EXTENSION, MAX_NAME_LENGTH } from './file-names.ts';

/** Characters that change how a name reads, or that file systems refuse. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Surrogate}"<>|:*?]/gu;

/** Only the end of a longer name is used. */
const MAX_CLEANED_LENGTH = 1_024;

/** The name in a Content-Disposition header, cleaned; undefined without a usable one. */
export function dispositionName(header: string | undefined): string | undefined {
  if (!header) return undefined;
  const { filename, 'filename*': extended } = parse(header, { extended: false }).parameters;
  // Node has read raw bytes as ISO 8859-1.
  const name = decodeExtended(extended ?? '') ?? (filename === undefined ? undefined : unescaped(asUtf8(filename)));
  return name === undefined ? undefined : cleanName(name);
}

/** The last part of a URL's path, cleaned; undefined if the path has none. */
export function pathName({ pathname }: URL): string | undefined {
  return cleanName(unescaped(pathname.slice(pathname.lastIndexOf('/') + 1)));
}

/** One segment of a path, without characters that change how it reads or that file systems refuse. */
function cleanName(name: string): string | undefined {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const plain = last
    .slice(-MAX_CLEANED_LENGTH)
    .replace(UNSAFE, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  const [extension = ''] = EXTENSION.exec(plain) ?? [];
  return (
    `${cutText(plain.slice(0, plain.length - extension.length), MAX_NAME_LENGTH - extension.length)}${extension}` ||
    undefined
  );
}

/** Text that was read as ISO 8859-1, although its bytes are UTF-8. */
function asUtf8(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
