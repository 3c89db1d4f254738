/**
 * The format of signed deliveries: https://www.standardwebhooks.com. The gateway and its receivers each compute the
 * HMAC-SHA256 with their platform: WebCrypto costs the gateway four times as much as `node:crypto`.
 */

/** A secret is this and the base64 of its bytes. */
export const SECRET_PREFIX = 'whsec_';

export const SIGNATURE_HEADERS = {
  id: 'webhook-id',
  /** In Unix seconds. */
  timestamp: 'webhook-timestamp',
  /** One signature for each valid secret, separated by spaces. */
  signatures: 'webhook-signature',
} as const;

/** A signature is this and base64. */
export const SIGNATURE_PREFIX = 'v1,';

/** What is signed: this, and the body. */
export function signedHead(id: string, timestamp: string | number): string {
  return `${id}.${timestamp}.`;
}
