import { decodeB64Url, encodeB64Url } from './base64.ts';

/** What the network requires to be signed, in the form of the real network. */
export interface PasskeyOptions {
  /** URL-safe base64. */
  readonly challenge: string;
  /** How long the browser may wait for the passkey, in milliseconds. */
  readonly timeout: number;
  readonly rpId: string;
  /** Empty: any passkey of the relying party will do. Ids as URL-safe base64. */
  readonly allowCredentials: readonly { readonly type: 'public-key'; readonly id: string }[];
  readonly userVerification: 'required';
  readonly extensions: { readonly uvm: boolean };
}

/** The answer of the browser; bytes as URL-safe base64. */
export interface PasskeyAssertion {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string | null;
  };
}

/** Makes the browser prompt for a passkey; rejects with the browser's error, after the timeout at the latest. */
export async function askBrowser(options: PasskeyOptions): Promise<PasskeyAssertion> {
  const allowCredentials = options.allowCredentials.map(({ type, id }) => ({ type, id: decodeB64Url(id) }));
  const publicKey = { ...options, challenge: decodeB64Url(options.challenge), allowCredentials };
  const credential = await navigator.credentials.get({
    publicKey: publicKey as PublicKeyCredentialRequestOptions,
  });
  if (credential?.type !== 'public-key') throw new Error('WebAuthn ceremony returned no credential');
  const { id, rawId, type, response } = credential as PublicKeyCredential;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  return {
    id,
    rawId: encodeB64Url(rawId),
    type,
    response: {
      clientDataJSON: encodeB64Url(clientDataJSON),
      authenticatorData: encodeB64Url(authenticatorData),
      signature: encodeB64Url(signature),
      userHandle: userHandle ? encodeB64Url(userHandle) : null,
    },
  };
}
