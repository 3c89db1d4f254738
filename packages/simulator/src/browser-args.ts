import { createHash, X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import { PICTURE_HOST } from './web/media.ts';

const PAGE_HOST = 'web.whatsapp.com';
const SERVED_HOSTS = [PAGE_HOST, PICTURE_HOST];

/**
 * The arguments that make Chromium resolve web.whatsapp.com to this simulator, and no other host. The
 * certificate is accepted by its hash only, which Chromium supports only with its own profile directory.
 */
export function browserArgs(port: number, fingerprint: string): string[] {
  const mapped = SERVED_HOSTS.map((host) => `MAP ${host} 127.0.0.1:${port}`);
  const rules = [...mapped, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1', 'EXCLUDE localhost'];
  return [
    `--host-resolver-rules=${rules.join(', ')}`,
    `--ignore-certificate-errors-spki-list=${fingerprint}`,
    // A saved document that another server serves must still reach this machine.
    `--ip-address-space-overrides=127.0.0.1:${port}=public`,
  ];
}

/** A key with its certificate, both PEM, and the hash with which Chromium accepts it. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** Base64 of the SHA-256 of the public key (SPKI). */
  readonly fingerprint: string;
}

/** A new self-signed certificate for a host; by default, that of the page. */
export async function createCertificate(host = PAGE_HOST): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  const publicKey = new X509Certificate(made.cert).publicKey.export({ type: 'spki', format: 'der' });
  const fingerprint = createHash('sha256').update(publicKey).digest('base64');
  return { key: made.private, cert: made.cert, fingerprint };
}
