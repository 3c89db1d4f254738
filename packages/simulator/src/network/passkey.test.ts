import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { checkAssertion, createPasskey, type ExpectedAssertion } from './passkey.ts';

const made = createPasskey();
const other = createPasskey();
const { credentialId } = made.registration;

let expected: ExpectedAssertion;

beforeEach(() => {
  const der = Buffer.from(made.registration.publicKey, 'base64url');
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  expected = {
    challenge: 'Y2hhbGxlbmdl',
    origin: 'https://web.whatsapp.com',
    rpId: 'whatsapp.com',
    passkeys: new Map([[credentialId, { credentialId, publicKey, signCount: 0 }]]),
  };
});

interface Variation {
  readonly id?: string;
  readonly client?: object;
  readonly rpId?: string;
  readonly flags?: number;
  readonly count?: number;
  readonly privateKey?: string;
}

/** What an authenticator would sign, with one thing changed. */
function assertion({
  id = credentialId,
  client,
  rpId = 'whatsapp.com',
  flags = 0x05,
  count = 1,
  privateKey,
}: Variation) {
  const right = { type: 'webauthn.get', challenge: expected.challenge, origin: expected.origin, crossOrigin: false };
  const clientData = Buffer.from(JSON.stringify({ ...right, ...client }));
  const counted = Buffer.alloc(5);
  counted.writeUInt8(flags, 0);
  counted.writeUInt32BE(count, 1);
  const data = Buffer.concat([createHash('sha256').update(rpId).digest(), counted]);
  const pkcs8 = Buffer.from(privateKey ?? made.credential.privateKey, 'base64');
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const signed = sign('sha256', Buffer.concat([data, createHash('sha256').update(clientData).digest()]), key);
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signed.toString('base64url'),
      userHandle: null,
    },
  };
}

const count = (signCount: number) => {
  for (const passkey of expected.passkeys.values()) passkey.signCount = signCount;
};

it('accepts the signature of the passkey, and returns its new count', () => {
  expect(checkAssertion(assertion({ count: 7 }), expected)).toMatchObject({ passkey: { credentialId }, signCount: 7 });
});

it('accepts a passkey that does not count', () => {
  expect(checkAssertion(assertion({ count: 0 }), expected)).toMatchObject({ signCount: 0 });
});

it.each([
  ['credential', { id: other.registration.credentialId }],
  ['type', { client: { type: 'webauthn.create' } }],
  ['challenge', { client: { challenge: 'b3RoZXI' } }],
  ['origin', { client: { origin: 'https://whatsapp.com.example' } }],
  ['origin', { client: { crossOrigin: true } }],
  ['rp_id', { rpId: 'web.whatsapp.com' }],
  ['user_present', { flags: 0x04 }],
  ['user_verified', { flags: 0x01 }],
  ['signature', { privateKey: other.credential.privateKey }],
] as const)('refuses %s %j', (refusal, variation) => {
  expect(checkAssertion(assertion(variation), expected)).toEqual({ refusal });
});

it('refuses a count that does not increase', () => {
  count(7);
  for (const old of [0, 6, 7])
    expect(checkAssertion(assertion({ count: old }), expected)).toEqual({ refusal: 'counter' });
  expect(checkAssertion(assertion({ count: 8 }), expected)).toMatchObject({ signCount: 8 });
});

it('refuses data that was changed after it was signed', () => {
  const { response, ...rest } = assertion({});
  const changed = (part: object) => checkAssertion({ ...rest, response: { ...response, ...part } }, expected);
  const verified = assertion({ count: 9 }).response.authenticatorData;
  expect(changed({ authenticatorData: verified })).toEqual({ refusal: 'signature' });
  expect(changed({ signature: 'AAAA' })).toEqual({ refusal: 'signature' });
  expect(changed({ clientDataJSON: 'AAAA' })).toEqual({ refusal: 'malformed' });
  expect(changed({ authenticatorData: 'AAAA' })).toEqual({ refusal: 'malformed' });
});
