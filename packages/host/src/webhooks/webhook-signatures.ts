import { bytesOf, HmacKeys } from '../inbound/hmac.ts';

/** The headers of a delivery. */
export interface SignedHeaders {
  /** `webhook-id`: the id of the event. */
  readonly id: string;
  /** `webhook-timestamp`: when this attempt was made, in Unix seconds. */
  readonly timestamp: number;
}

const PREFIX = 'whsec_';
const VERSION = 'v1,';
/** The size of an HMAC-SHA256. */
const SIGNATURE_BYTES = 32;
/** One for each valid secret, with some to spare. */
const MOST_SIGNATURES = 10;

/** Verifies deliveries according to Standard Webhooks: https://www.standardwebhooks.com. */
export class WebhookSignatures {
  readonly #keys: HmacKeys;
  readonly #toleranceSeconds: number;

  /** Throws a TypeError for an invalid secret. */
  constructor(secrets: string | readonly string[] | undefined, toleranceSeconds: number) {
    const keys = [secrets ?? []].flat().map(keyOf);
    if (keys.length === 0) throw new TypeError('give the secret of the webhook');
    this.#keys = new HmacKeys(keys);
    this.#toleranceSeconds = toleranceSeconds;
  }

  /** Parses the headers; undefined if one is missing or malformed, or the time differs too much. */
  read(headers: Headers): (SignedHeaders & { readonly signatures: readonly Uint8Array<ArrayBuffer>[] }) | undefined {
    const id = headers.get('webhook-id');
    const time = /^\d{1,12}$/.exec(headers.get('webhook-timestamp') ?? '')?.[0];
    if (!id || id.length > 255 || time === undefined) return undefined;
    const timestamp = Number(time);
    if (Math.abs(Date.now() / 1_000 - timestamp) > this.#toleranceSeconds) return undefined;
    const signatures = (headers.get('webhook-signature') ?? '')
      .split(' ')
      .filter((part) => part.startsWith(VERSION))
      .slice(0, MOST_SIGNATURES)
      .map((part) => fromBase64(part.slice(VERSION.length)))
      .filter((bytes) => bytes?.byteLength === SIGNATURE_BYTES);
    return { id, timestamp, signatures: signatures as Uint8Array<ArrayBuffer>[] };
  }

  /** The headers, if one of the signatures is valid for these bytes. */
  async verify(headers: Headers, rawBody: Uint8Array): Promise<SignedHeaders | undefined> {
    const signed = this.read(headers);
    if (!signed) return undefined;
    const { id, timestamp, signatures } = signed;
    const head = bytesOf(`${id}.${headers.get('webhook-timestamp')}.`);
    const content = new Uint8Array(head.byteLength + rawBody.byteLength);
    content.set(head);
    content.set(rawBody, head.byteLength);
    return (await this.#keys.verify(signatures, content)) ? { id, timestamp } : undefined;
  }
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!key || key.byteLength === 0) {
    throw new TypeError('the secret of a webhook is whsec_ and base64, as the gateway answered it');
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
