import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import type { PasskeyRefusal } from '../account-api.ts';
import type { PasskeyRegistration } from '../control/inputs.ts';
import type { PasskeyAssertion, PasskeyOptions } from '../page/passkey-ceremony.ts';
import type { SimulatorSettings } from '../settings.ts';
import { SimulatorError } from '../simulator-error.ts';
import type { Timers } from '../timers.ts';
import type { Login, Offer, PendingLink } from './offer.ts';
import { checkAssertion } from './passkey-assertion.ts';
import { randomCode } from './random-code.ts';
import type { AccountRecord } from './records.ts';
import { NetworkRefusal } from './refusal.ts';

const rpId = 'whatsapp.com';
const origin = 'https://web.whatsapp.com';

/**
 * Pages that were scanned and must show a passkey before they are linked: the passkey is verified, the phone continues,
 * and the page confirms the code that both show.
 */
export class PasskeyLinks {
  readonly #settings: SimulatorSettings;
  readonly #timers: Timers;
  readonly #link: (offer: Offer, login: Login) => void;
  readonly #offers: ReadonlySet<Offer>;

  constructor(
    settings: SimulatorSettings,
    timers: Timers,
    offers: ReadonlySet<Offer>,
    link: (offer: Offer, login: Login) => void,
  ) {
    this.#settings = settings;
    this.#timers = timers;
    this.#offers = offers;
    this.#link = link;
  }

  /** Requests a passkey of the account from the page. */
  begin(offer: Offer, login: Login): void {
    offer.pending = { login, stage: 'asked', challenge: undefined };
    offer.line.send({ type: 'passkey', options: this.options(offer) });
  }

  /** What the page must have signed. Invalidates its earlier challenge, and a passkey that it has shown. */
  options(offer: Offer): PasskeyOptions {
    const pending = requirePending(offer);
    const value = randomBytes(32).toString('base64url');
    pending.stage = 'asked';
    pending.challenge = { value, sinceMs: Date.now() };
    return {
      challenge: value,
      timeout: this.#settings.passkeyMs,
      rpId,
      // As the real network: a passkey is found by the id of the relying party.
      allowCredentials: [],
      userVerification: 'required',
      extensions: { uvm: true },
    };
  }

  /** Accepts the passkey of the page, or throws; in both cases its challenge is used up. */
  prove(offer: Offer, assertion: PasskeyAssertion): void {
    const pending = requirePending(offer);
    const { account } = pending.login;
    const { challenge } = pending;
    pending.challenge = undefined;
    const refusal = this.#check(account, challenge, assertion);
    account.passkeyAnswers.push({ at: new Date().toISOString(), refusal });
    if (refusal) throw new NetworkRefusal(401, 'not-authorized');
    pending.stage = 'proven';
    if (account.passkeyHandoff === 'held') return;
    this.#timers.after(this.#settings.pairDelayMs, () => {
      if (offer.pending === pending && pending.stage === 'proven' && account.phoneOn) this.#continue(offer, pending);
    });
  }

  /** The owner continues on the phone; returns the code that it shows. 409 if no page waits for that. */
  continue(account: AccountRecord): { code: string } {
    for (const offer of this.#offers) {
      const { pending } = offer;
      if (pending?.login.account !== account || pending.stage !== 'proven') continue;
      return { code: this.#continue(offer, pending) };
    }
    throw new SimulatorError(409, `no page waits for the phone of ${account.number}`);
  }

  /** The page confirms that the code is the same on both, and is linked. */
  confirm(offer: Offer): void {
    const { login, stage } = requirePending(offer);
    if (stage !== 'continued') throw new NetworkRefusal(400, 'bad-request');
    offer.pending = undefined;
    // The page may have requested new ones meanwhile.
    offer.references.stop();
    this.#link(offer, login);
  }

  /** The user of the page cancels, and gets a new QR. */
  cancel(offer: Offer): void {
    if (!offer.pending) return;
    offer.pending = undefined;
    offer.references.start();
  }

  #continue(offer: Offer, pending: PendingLink): string {
    pending.stage = 'continued';
    const code = randomCode();
    offer.line.send({ type: 'phone-continues', code, confirmed: pending.login.account.passkeyHandoff === 'automatic' });
    return code;
  }

  #check(
    { passkeys }: AccountRecord,
    challenge: { readonly value: string; readonly sinceMs: number } | undefined,
    assertion: PasskeyAssertion,
  ): PasskeyRefusal | undefined {
    if (!challenge) return 'challenge';
    const check = checkAssertion(assertion, { challenge: challenge.value, origin, rpId, passkeys });
    if ('refusal' in check) return check.refusal;
    if (Date.now() - challenge.sinceMs > this.#settings.passkeyMs) return 'expired';
    check.passkey.signCount = check.signCount;
    return undefined;
  }
}

/** Stores the public key of a passkey that a phone has created; 400 if it is not one for ES256. */
export function registerPasskey(account: AccountRecord, registration: PasskeyRegistration): void {
  const { credentialId, publicKey, signCount = 0 } = registration;
  const id = Buffer.from(credentialId, 'base64url').toString('base64url');
  account.passkeys.set(id, { credentialId: id, publicKey: readKey(publicKey), signCount });
  account.passkey = true;
}

function readKey(text: string): KeyObject {
  const problem = new SimulatorError(400, 'publicKey: must be the SPKI of a key for ES256 (P-256), as base64');
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch {
    throw problem;
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw problem;
  return key;
}

function requirePending({ pending }: Offer): PendingLink {
  if (!pending) throw new NetworkRefusal(400, 'bad-request');
  return pending;
}
