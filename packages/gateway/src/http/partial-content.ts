import type { ByteRange } from '../media/spool.ts';

const RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;
const ENTITY_TAG = /"[^"]*"/g;

/** True if the caller has the file with this tag, by its `If-None-Match`. */
export function isUnchanged(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || (tag !== undefined && ifNoneMatch.match(ENTITY_TAG)?.includes(tag) === true);
}

/**
 * The part of a file that a request asks for by `Range`; `beyond` if the file has none of it; undefined for the whole
 * file, as for several ranges, an invalid one, or one of another version of the file (`If-Range`). `headers`: by their
 * names in lower case.
 */
export function rangeOf(
  headers: Readonly<Record<string, string>>,
  size: number,
  tag: string | undefined,
): ByteRange | 'beyond' | undefined {
  const { range = '', 'if-range': ifRange } = headers;
  const [, first = '', last = ''] = RANGE.exec(range) ?? [];
  if ((first === '' && last === '') || (ifRange !== undefined && ifRange !== tag)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  return start < size ? { start, length: end - start + 1 } : 'beyond';
}
