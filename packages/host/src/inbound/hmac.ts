const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;
const utf8 = new TextEncoder();

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return utf8.encode(text);
}

/** Keys of HMAC-SHA256: a signature by any of them is valid, so that a secret can be rotated. */
export class HmacKeys {
  readonly #keys: Promise<readonly Key[]>;

  /** `secrets` as bytes, none of them empty. */
  constructor(secrets: readonly Uint8Array<ArrayBuffer>[]) {
    this.#keys = Promise.all(
      secrets.map((secret) => crypto.subtle.importKey('raw', secret, HMAC, false, ['sign', 'verify'])),
    );
    this.#keys.catch(() => {}); // Each use rejects as well.
  }

  /** True if one of the `signatures` is valid for `data`; the platform compares in constant time. */
  async verify(signatures: readonly Uint8Array<ArrayBuffer>[], data: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const keys = await this.#keys;
    const checks = keys.flatMap((key) => signatures.map((one) => crypto.subtle.verify(HMAC, key, one, data)));
    return (await Promise.all(checks)).includes(true);
  }

  async sign(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const [key] = await this.#keys;
    if (!key) throw new Error('there is no key');
    return new Uint8Array(await crypto.subtle.sign(HMAC, key, data));
  }
}

/** Compares secrets in constant time, even if their lengths differ, by signing them with a key of this process. */
export class SecretComparison {
  readonly #keys = new HmacKeys([crypto.getRandomValues(new Uint8Array(32))]);
  readonly #right: Promise<Uint8Array<ArrayBuffer>>;

  constructor(secret: string) {
    this.#right = this.#keys.sign(utf8Bytes(secret));
  }

  async matches(given: string): Promise<boolean> {
    return this.#keys.verify([await this.#right], utf8Bytes(given));
  }
}

/** The SHA-256 of a text, in hex. */
export async function digestOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8Bytes(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
