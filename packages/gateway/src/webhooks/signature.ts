import { createHmac, randomBytes } from 'node:crypto';
import { SECRET_PREFIX, SIGNATURE_HEADERS, SIGNATURE_PREFIX, signedHead } from '@chat-web/protocol';

const SECRET_BYTES = 32;

export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The headers that sign a body, with each of the secrets. `at`: Unix time in ms. */
export function signedHeaders(id: string, body: string, secrets: readonly string[], at: number) {
  const timestamp = Math.floor(at / 1_000);
  const head = signedHead(id, timestamp);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return SIGNATURE_PREFIX + createHmac('sha256', key).update(head).update(body).digest('base64');
  });
  return {
    [SIGNATURE_HEADERS.id]: id,
    [SIGNATURE_HEADERS.timestamp]: String(timestamp),
    [SIGNATURE_HEADERS.signatures]: signatures.join(' '),
  };
}
