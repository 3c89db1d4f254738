import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** A passkey for whatsapp.com, as a phone creates it. */
export interface Passkey {
  /** What the phone sends to the network: the arguments of `registerPasskey` after the number. */
  readonly registration: { readonly credentialId: string; readonly publicKey: string; readonly signCount: number };
  /** What the phone keeps, as `WebAuthn.addCredential` of the DevTools protocol takes it for a virtual authenticator. */
  readonly credential: {
    readonly credentialId: string;
    readonly isResidentCredential: true;
    readonly rpId: string;
    readonly privateKey: string;
    readonly userHandle: string;
    readonly signCount: number;
  };
}

/** Creates a passkey for ES256 whose count starts at `signCount`. */
export function createPasskey(signCount = 0): Passkey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    registration: { credentialId: id.toString('base64url'), publicKey: spki.toString('base64url'), signCount },
    credential: {
      credentialId: id.toString('base64'),
      isResidentCredential: true,
      rpId: 'whatsapp.com',
      privateKey: pkcs8.toString('base64'),
      userHandle: randomBytes(16).toString('base64'),
      signCount,
    },
  };
}
