import { SECRET_PREFIX, SIGNATURE_HEADERS, SIGNATURE_PREFIX, signedHead } from '@chat-web/protocol';
import { HmacKeys, utf8Bytes } from '../inbound/hmac.ts';
import { joinedBytes } from '../joined-bytes.ts';

export interface SignedHeaders {
  readonly id: string;
  /** `webhook-timestamp`: when this attempt was made, in Unix seconds. */
  readonly timestamp: number;
}

/** The size of an HMAC-SHA256. */
const SIGNATURE_BYTES = 32;
/** One for each valid secret, with some to spare. */
const MAX_SIGNATURES = 10;

/** Verifies deliveries according to Standard Webhooks: https://www.standardwebhooks.com. */
export class WebhookSignatures {
  readonly #keys: HmacKeys;
  readonly #toleranceSeconds: number;

  /** Throws a TypeError for an invalid secret. */
  constructor(secrets: string | readonly string[] | undefined, toleranceSeconds: number) {
    const keys = [secrets ?? []].flat().map(hmacKeyIn);
    if (keys.length === 0) throw new TypeError('set the secret of the webhook');
    this.#keys = new HmacKeys(keys);
    this.#toleranceSeconds = toleranceSeconds;
  }

  /** Parses the headers; undefined if one is missing or malformed, or the time differs too much. */
  read(headers: Headers): (SignedHeaders & { readonly signatures: readonly Uint8Array<ArrayBuffer>[] }) | undefined {
    const id = headers.get(SIGNATURE_HEADERS.id);
    const time = /^\d{1,12}$/.exec(headers.get(SIGNATURE_HEADERS.timestamp) ?? '')?.[0];
    if (!id || id.length > 255 || time === undefined) return undefined;
    const timestamp = Number(time);
    if (Math.abs(Date.now() / 1_000 - timestamp) > this.#toleranceSeconds) return undefined;
    const signatures = (headers.get(SIGNATURE_HEADERS.signatures) ?? '')
      .split(' ')
      .filter((part) => part.startsWith(SIGNATURE_PREFIX))
      .slice(0, MAX_SIGNATURES)
      .map((part) => fromBase64(part.slice(SIGNATURE_PREFIX.length)))
      .filter((bytes) => bytes?.byteLength === SIGNATURE_BYTES);
    return { id, timestamp, signatures: signatures as Uint8Array<ArrayBuffer>[] };
  }

  /** The headers, if one of the signatures is valid for these bytes. */
  async verify(headers: Headers, rawBody: Uint8Array): Promise<SignedHeaders | undefined> {
    const signed = this.read(headers);
    if (!signed) return undefined;
    const { id, timestamp, signatures } = signed;
    const head = utf8Bytes(signedHead(id, headers.get(SIGNATURE_HEADERS.timestamp) ?? ''));
    const content = joinedBytes([head, rawBody], head.byteLength + rawBody.byteLength);
    return (await this.#keys.verify(signatures, content)) ? { id, timestamp } : undefined;
  }
}

function hmacKeyIn(secret: string): Uint8Array<ArrayBuffer> {
  const key = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (!key || key.byteLength === 0) {
    throw new TypeError('the secret of a webhook must be whsec_ and base64, as the gateway returned it');
  }
  return key;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
