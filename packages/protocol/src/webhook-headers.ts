import * as v from 'valibot';
import { pairsOf, pairsWithAllNames } from './limits.ts';

/** How many headers a webhook can have, and how long they can be together. */
const MAX_HEADERS = 20;
const MAX_HEADERS_LENGTH = 8_192;
const MAX_NAME_LENGTH = 100;
const MAX_CREDENTIAL_LENGTH = 1_000;

/** The gateway sets these itself, or they concern one connection. Others of `webhook-` are for signatures to come. */
const RESERVED = [
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
];
const RESERVED_PREFIXES = ['proxy-', 'webhook-'];

function isReserved(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.includes(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

const sets = (check: (names: readonly string[]) => boolean, message: string) =>
  v.check((headers: Readonly<Record<string, string>>) => check(Object.keys(headers)), message);

/** Fixed headers of the requests to an endpoint. No message repeats a value. */
export const webhookHeaders = v.pipe(
  pairsWithAllNames,
  pairsOf(v.string(), v.string(), MAX_HEADERS, `must be at most ${MAX_HEADERS} headers`),
  sets(
    (names) =>
      names.every((name) => name.length <= MAX_NAME_LENGTH && /^[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]*$/.test(name)),
    `must have names of at most ${MAX_NAME_LENGTH} letters, digits and hyphens, beginning with a letter`,
  ),
  sets(
    (names) => new Set(names.map((name) => name.toLowerCase())).size === names.length,
    'must not have a header twice',
  ),
  sets(
    (names) => !names.some(isReserved),
    `must not have a header that the gateway sets, or that concerns one connection: ${RESERVED.join(', ')}, proxy-…, webhook-…`,
  ),
  v.check(
    (headers) => Object.values(headers).every((value) => /^[!-~]([ -~]*[!-~])?$/.test(value)),
    'must have values of printable ASCII characters, without line breaks and without blanks at either end',
  ),
  v.check(
    (headers) => Object.entries(headers).flat().join('').length <= MAX_HEADERS_LENGTH,
    `must have at most ${MAX_HEADERS_LENGTH} characters together`,
  ),
);

const credential = v.pipe(
  v.string(),
  v.maxLength(MAX_CREDENTIAL_LENGTH, `must be at most ${MAX_CREDENTIAL_LENGTH} characters`),
  v.check((text) => !/\p{Cc}/u.test(text), 'must not contain control characters'),
);

/** Basic credentials (RFC 7617). */
export const basicAuth = v.strictObject({
  username: v.pipe(
    credential,
    v.check((text) => !text.includes(':'), 'must not contain a colon'),
  ),
  password: credential,
});
export type BasicAuth = v.InferOutput<typeof basicAuth>;
