/** File system limit, in UTF-8; up to three times as much in a header. */
const MAX_BYTES = 255;
/** Only the end of a longer name is used: NFC of a long text is slow. */
const MAX_UNITS = 4_096;
const EXTENSION = /\.[\w-]{1,16}$/;

/**
 * A safe file name for a download: a single path segment in NFC, without control characters, line separators, bidi
 * controls or lone surrogates, short enough for a header and a file system. Undefined if nothing is left.
 */
export function downloadName(name: string): string | undefined {
  const normal = name.slice(-MAX_UNITS).normalize('NFC');
  const last = normal.slice(Math.max(normal.lastIndexOf('/'), normal.lastIndexOf('\\')) + 1);
  const plain = last
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '_')
    .replace(/^\s+|[\s.]+$/g, '');
  return shortened(plain) || undefined;
}

/** Truncates the name before its extension. */
function shortened(name: string): string {
  const [extension = ''] = EXTENSION.exec(name) ?? [];
  let room = MAX_BYTES - extension.length;
  let stem = '';
  for (const character of name.slice(0, name.length - extension.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem + extension;
}
