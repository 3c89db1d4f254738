/** A name that a file system takes. In UTF-8; three times as much in a header. */
const MOST_BYTES = 255;
/** More of a name is not looked at: NFC of a long one takes its time. */
const MOST_UNITS = 4_096;
/** What a program goes by when it opens the file. */
const ENDING = /\.[\w-]{1,16}$/;

/**
 * What a file is to be called by whoever downloads it: one part of a path, in NFC, without anything that ends a line,
 * turns the direction of text around or is no character, and short enough for a header and a file system. Undefined
 * where nothing is left of the name.
 */
export function downloadName(name: string): string | undefined {
  const normal = name.slice(-MOST_UNITS).normalize('NFC');
  const last = normal.slice(Math.max(normal.lastIndexOf('/'), normal.lastIndexOf('\\')) + 1);
  const plain = last
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '_')
    .replace(/^\s+|[\s.]+$/g, '');
  return shortened(plain) || undefined;
}

/** Cut in front of its ending. */
function shortened(name: string): string {
  const [ending = ''] = ENDING.exec(name) ?? [];
  let room = MOST_BYTES - ending.length;
  let stem = '';
  for (const character of name.slice(0, name.length - ending.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem + ending;
}
