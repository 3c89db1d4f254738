import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import * as v from 'valibot';

/** The header with which a gateway names the caller whose request it forwards. */
export const HOP_HEADER = 'chat-web-hop';
const MAX_LENGTH = 1_000;
/** Clocks of two hosts may differ by this much. */
const VALID_MS = 60_000;

const hop = v.strictObject({
  /** The host that forwards. */
  from: v.pipe(v.string(), v.uuid()),
  to: v.pipe(v.string(), v.uuid()),
  /** The address of the caller. */
  address: v.pipe(v.string(), v.maxLength(100)),
  /** Unix ms. */
  until: v.number(),
  /** Method and path with the query. */
  request: v.string(),
});
export type Hop = v.InferOutput<typeof hop>;

/** Signs what this gateway forwards. Its key lives as long as this process. */
export class HopSigner {
  readonly #key: KeyObject;
  /** The other hosts verify with it; in DER. */
  readonly publicKey: Buffer;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#key = privateKey;
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' });
  }

  /** The value of the header. */
  sign(forwarded: Omit<Hop, 'until'>): string {
    const text = Buffer.from(JSON.stringify({ ...forwarded, until: Date.now() + VALID_MS }));
    return `${text.toString('base64url')}.${sign(null, text, this.#key).toString('base64url')}`;
  }
}

/**
 * The content of the header of a request to this host, if it is valid now. `keyOf`: the public key of a host, in DER.
 */
export function verifyHop(
  value: string,
  { request, to }: { readonly request: string; readonly to: string },
  keyOf: (host: string) => Buffer | undefined,
): Hop | undefined {
  const [text, signature] = value
    .slice(0, MAX_LENGTH + request.length * 2)
    .split('.', 2)
    .map((part) => Buffer.from(part, 'base64url'));
  const content = text && v.safeParse(hop, parsed(text));
  if (!text || !signature || !content?.success) return undefined;
  const { from, until } = content.output;
  if (
    content.output.request !== request ||
    content.output.to !== to ||
    until < Date.now() ||
    until > Date.now() + 2 * VALID_MS
  )
    return undefined;
  const key = publicKeyIn(keyOf(from));
  return key && verify(null, text, key, signature) ? content.output : undefined;
}

/** Reading one takes as long as verifying a signature. */
const publicKeys = new WeakMap<Buffer, KeyObject | undefined>();

/** Undefined if it is none: a host that was taken over can announce anything as its key. */
function publicKeyIn(der: Buffer | undefined): KeyObject | undefined {
  if (!der) return undefined;
  if (publicKeys.has(der)) return publicKeys.get(der);
  const key = keyOrNone(der);
  publicKeys.set(der, key);
  return key;
}

function keyOrNone(der: Buffer): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}
