import { hash, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';

const HASH_PREFIX = 'sha256:';
const HASH = /^sha256:[0-9a-f]{64}$/i;

const TOKEN_TEXT = /^[\x21-\x7e]+$/;

/** A token as configured: itself, or `sha256:<hex>` of it. */
export const writtenToken = v.pipe(
  v.string(),
  v.regex(TOKEN_TEXT, 'must be printable ASCII without spaces'),
  v.check(
    (written) => !written.toLowerCase().startsWith(HASH_PREFIX) || HASH.test(written),
    'must have 64 hexadecimal digits after sha256:',
  ),
  v.check(
    (written) => !v.is(hashOfNothing, written.toLowerCase()),
    'is the hash of an empty token: create one with chat-web token',
  ),
);

/** Results of `echo "$TOKEN" | sha256sum` with an empty variable. */
const hashOfNothing = v.picklist(['', '\n', '\r\n'].map(tokenHash));

/** The SHA-256 of a token. The gateway keeps nothing else of it. */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** `sha256:<hex>` of a token, which can be stored where others can read it. */
export function tokenHash(token: string): string {
  return hashText(digestOf(token));
}

export function hashText(digest: Buffer): string {
  return HASH_PREFIX + digest.toString('hex');
}

export function isHash(written: string): boolean {
  return HASH.test(written);
}

export function digestOfWritten(written: string): Buffer {
  return isHash(written) ? Buffer.from(written.slice(HASH_PREFIX.length), 'hex') : digestOf(written);
}

/** Compares digests in constant time. */
export function sameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
