import { createHmac, timingSafeEqual } from 'node:crypto';

const [SECRET_PREFIX, PREFIX] = ['whsec_', 'v1,'];
const MAX_AGE_SECONDS = 300;

interface Delivery {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** True if a delivery is signed with the secret, as Standard Webhooks has it, within the last five minutes. */
export function isSigned({ headers, body }: Delivery, secret: string, now = Date.now()): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`]);
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= MAX_AGE_SECONDS)) return false;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    if (!signature.startsWith(PREFIX)) return false;
    const given = Buffer.from(signature.slice(PREFIX.length), 'base64');
    return given.length === signed.length && timingSafeEqual(given, signed);
  });
}
