import { decodeB64Url, encodeB64Url } from './base64.ts';
import type { Connection } from './connection.ts';
import { linkDeviceEvents, pairing } from './pairing.ts';
import { switches } from './switches.ts';
import type { PasskeyAssertion, PasskeyOptions } from './wire.ts';

/** How long the page keeps the network's challenge; it requests a new one after that. */
const CHALLENGE_LIFETIME_MS = 600_000;

/**
 * The link of a page to an account with a passkey: the browser signs the network's challenge, the owner continues on
 * the phone, and both confirm a code. A step that does not happen in time ends it with an error.
 */
export class PasskeyLink {
  readonly #connection: Connection;
  #cached: { readonly options: PasskeyOptions; readonly sinceMs: number } | undefined;
  #timeout: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.handle('passkey', ({ options }) => {
      this.#keep(options);
      pairing.type = 'SHORTCAKE_PASSKEY';
      linkDeviceEvents.triggerPasskeyPrologueRequest();
    });
    connection.handle('phone-continues', ({ code, confirmed }) => {
      this.#limit();
      linkDeviceEvents.triggerShortcakeVerificationCodeReady(code, confirmed);
    });
  }

  /** Sends a passkey to the network. Rejects if browser or network refuse; the next attempt has a new challenge. */
  async start(): Promise<void> {
    try {
      const assertion = await requestAssertion(await this.#getOptions());
      await this.#connection.requestPairing('passkey-proof', { assertion });
    } catch (error) {
      this.#cached = undefined;
      this.end();
      throw error;
    }
    this.#limit();
    linkDeviceEvents.triggerShortcakePrologueSent();
  }

  /** Confirms that the code is the same on both. Rejects if the network no longer accepts that. */
  async confirm(): Promise<void> {
    try {
      await this.#connection.requestPairing('passkey-confirm', {});
      this.#limit();
    } catch (error) {
      this.end();
      linkDeviceEvents.triggerShortcakeError('server_error');
      throw error;
    }
  }

  /** The user cancels. */
  cancel(): void {
    this.end();
    this.#cached = undefined;
    this.#connection.send({ type: 'passkey-cancelled' });
  }

  end(): void {
    clearTimeout(this.#timeout);
  }

  #limit(): void {
    this.end();
    this.#timeout = setTimeout(() => linkDeviceEvents.triggerShortcakeError('timeout'), switches.passkeyStepMs);
  }

  #keep(options: PasskeyOptions): void {
    this.#cached = { options, sinceMs: Date.now() };
  }

  async #getOptions(): Promise<PasskeyOptions> {
    if (this.#cached && Date.now() - this.#cached.sinceMs < CHALLENGE_LIFETIME_MS) return this.#cached.options;
    const options = await this.#connection.requestPairing('passkey-options', {});
    this.#keep(options);
    return options;
  }
}

/** Makes the browser prompt for a passkey; rejects with the browser's error, after the timeout at the latest. */
async function requestAssertion(options: PasskeyOptions): Promise<PasskeyAssertion> {
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
