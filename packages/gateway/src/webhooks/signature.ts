import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks: https://www.standardwebhooks.com. The secret is the prefix and base64 of its bytes. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The headers that sign a body, with each of the secrets. `at`: Unix time in ms. */
export function signedHeaders(id: string, body: string, secrets: readonly string[], at: number) {
  const timestamp = Math.floor(at / 1_000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
