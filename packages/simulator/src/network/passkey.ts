import { createHash, generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto';
import type { PasskeyRefusal } from '../api.ts';
import type { PasskeyAssertion } from '../page/wire.ts';

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

/** A passkey as the network keeps it. */
export interface PasskeyRecord {
  /** URL-safe base64. */
  readonly credentialId: string;
  /** For ES256. */
  readonly publicKey: KeyObject;
  /** Of its last signature; 0 for one that does not count. */
  signCount: number;
}

export interface ExpectedAssertion {
  /** URL-safe base64. */
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly passkeys: ReadonlyMap<string, PasskeyRecord>;
}

/** The signer of a valid assertion with its new count, or why it is not valid. */
type AssertionCheck =
  | { readonly passkey: PasskeyRecord; readonly signCount: number }
  | { readonly refusal: PasskeyRefusal };

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
/** Hash of the id of the relying party, flags, and count. */
const AUTHENTICATOR_DATA_BYTES = 37;

/** Verifies an assertion as WebAuthn requires, section 7.2, user verification included. */
export function checkAssertion(assertion: PasskeyAssertion, expected: ExpectedAssertion): AssertionCheck {
  const parts = decodeAssertion(assertion);
  if (!parts) return { refusal: 'malformed' };
  const { client, clientData, data, signature } = parts;
  const passkey = expected.passkeys.get(assertion.id);
  if (!passkey) return { refusal: 'credential' };
  if (client.type !== 'webauthn.get') return { refusal: 'type' };
  if (client.challenge !== expected.challenge) return { refusal: 'challenge' };
  if (client.origin !== expected.origin || client.crossOrigin === true) return { refusal: 'origin' };
  if (!data.subarray(0, 32).equals(sha256(expected.rpId))) return { refusal: 'rp_id' };
  const flags = data.readUInt8(32);
  if ((flags & USER_PRESENT) === 0) return { refusal: 'user_present' };
  if ((flags & USER_VERIFIED) === 0) return { refusal: 'user_verified' };
  const signed = Buffer.concat([data, sha256(clientData)]);
  if (!verify('sha256', signed, passkey.publicKey, signature)) return { refusal: 'signature' };
  const signCount = data.readUInt32BE(33);
  const counts = signCount > 0 || passkey.signCount > 0;
  if (counts && signCount <= passkey.signCount) return { refusal: 'counter' };
  return { passkey, signCount };
}

interface ClientData {
  readonly type?: unknown;
  readonly challenge?: unknown;
  readonly origin?: unknown;
  readonly crossOrigin?: unknown;
}

/** The bytes in an assertion; undefined if it is malformed. */
function decodeAssertion({ id, rawId, type, response }: PasskeyAssertion) {
  const clientData = Buffer.from(response.clientDataJSON, 'base64url');
  const data = Buffer.from(response.authenticatorData, 'base64url');
  const signature = Buffer.from(response.signature, 'base64url');
  if (type !== 'public-key' || id !== rawId || data.length < AUTHENTICATOR_DATA_BYTES) return undefined;
  try {
    return { client: JSON.parse(clientData.toString()) as ClientData, clientData, data, signature };
  } catch {
    return undefined;
  }
}

function sha256(bytes: string | Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
