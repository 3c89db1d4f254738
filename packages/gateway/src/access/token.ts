import { createHash, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';

const HASH_PREFIX = 'sha256:';
const HASH = /^sha256:[0-9a-f]{64}$/i;

/** What a token looks like on the wire. */
export const TOKEN_TEXT = /^[\x21-\x7e]+$/;

/** A token as it stands in a setting or a file: itself, or `sha256:<hex>` of it. */
export const writtenToken = v.pipe(
  v.string(),
  v.regex(TOKEN_TEXT, 'must be printable ASCII without spaces'),
  v.check(
    (written) => !written.toLowerCase().startsWith(HASH_PREFIX) || HASH.test(written),
    'must have 64 hexadecimal digits after sha256:',
  ),
  v.check(
    (written) => !v.is(hashOfNothing, written.toLowerCase()),
    'is the hash of an empty token: npm run token makes a good one',
  ),
);

/** `echo | sha256sum` and its like: a variable was empty. */
const hashOfNothing = v.picklist(['', '\n', '\r\n'].map(hashOf));

/** The SHA-256 of a token: all that the gateway keeps of it. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The form of a token that may stand where others can read it: `sha256:<hex>`. */
export function hashOf(token: string): string {
  return hashText(digestOf(token));
}

/** The same, of its digest. */
export function hashText(digest: Buffer): string {
  return HASH_PREFIX + digest.toString('hex');
}

/** True if a setting or file has the hash rather than the token itself. */
export function isHash(written: string): boolean {
  return HASH.test(written);
}

/** The digest of a token that is written in either form. */
export function digestOfWritten(written: string): Buffer {
  return isHash(written) ? Buffer.from(written.slice(HASH_PREFIX.length), 'hex') : digestOf(written);
}

/** Compares digests so that nothing of them shows in the time it takes. */
export function sameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
