import { createHash, X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';

/** A key with its certificate, both PEM, and the hash with which Chromium accepts it. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** Base64 of the SHA-256 of the public key (SPKI). */
  readonly fingerprint: string;
}

/** A new self-signed certificate for those hosts; the first is its name. */
export async function createCertificate(hosts: readonly string[]): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: hosts[0] ?? '' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: hosts[0] ?? '' }] }],
  });
  const publicKey = new X509Certificate(made.cert).publicKey.export({ type: 'spki', format: 'der' });
  const fingerprint = createHash('sha256').update(publicKey).digest('base64');
  return { key: made.private, cert: made.cert, fingerprint };
}
