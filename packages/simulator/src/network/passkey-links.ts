import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import type { PasskeyRefusal } from '../api.ts';
import type { PasskeyRegistration } from '../control/inputs.ts';
import { NetworkRefusal, SimulatorError } from '../errors.ts';
import type { PasskeyAssertion, PasskeyOptions } from '../page/wire.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import { randomCode } from './pairing-codes.ts';
import type { Login, PairingSession, PendingLink } from './pairing-session.ts';
import { checkAssertion } from './passkey.ts';
import type { AccountRecord } from './records.ts';

const RP_ID = 'whatsapp.com';
const ORIGIN = 'https://web.whatsapp.com';
const CHALLENGE_LIFETIME_MS = 600_000;

/**
 * Pages that were scanned and must show a passkey before they are linked: the passkey is verified, the phone continues,
 * and the page confirms the code that both show.
 */
export class PasskeyLinks {
  readonly #settings: SimulatorSettings;
  readonly #timers: Timers;
  readonly #link: (session: PairingSession, login: Login) => void;
  readonly #pairingSessions: ReadonlySet<PairingSession>;

  constructor(
    settings: SimulatorSettings,
    timers: Timers,
    pairingSessions: ReadonlySet<PairingSession>,
    link: (session: PairingSession, login: Login) => void,
  ) {
    this.#settings = settings;
    this.#timers = timers;
    this.#pairingSessions = pairingSessions;
    this.#link = link;
  }

  begin(session: PairingSession, login: Login): void {
    session.pending = { login, step: 'requested', challenge: undefined };
    session.connection.send({ type: 'passkey', options: this.options(session) });
  }

  /** What the page must have signed. Invalidates its earlier challenge, and a passkey that it has shown. */
  options(session: PairingSession): PasskeyOptions {
    const pending = requirePending(session);
    const value = randomBytes(32).toString('base64url');
    pending.step = 'requested';
    pending.challenge = { value, sinceMs: Date.now() };
    return {
      challenge: value,
      timeout: CHALLENGE_LIFETIME_MS,
      rpId: RP_ID,
      // As the real network: a passkey is found by the id of the relying party.
      allowCredentials: [],
      userVerification: 'required',
      extensions: { uvm: true },
    };
  }

  /** Accepts the passkey of the page, or throws; in both cases its challenge is used up. */
  verify(session: PairingSession, assertion: PasskeyAssertion): void {
    const pending = requirePending(session);
    const { account } = pending.login;
    const { challenge } = pending;
    pending.challenge = undefined;
    const refusal = this.#check(account, challenge, assertion);
    account.passkeyAnswers.push({ at: new Date().toISOString(), refusal });
    if (refusal) throw new NetworkRefusal(401, 'not-authorized');
    pending.step = 'verified';
    if (account.passkeyHandoff === 'held') return;
    this.#timers.after(this.#settings.pairDelayMs, () => {
      if (session.pending === pending && pending.step === 'verified' && account.phoneOn)
        this.#continue(session, pending);
    });
  }

  /** The owner continues on the phone; returns the code that it shows. 409 if no page waits for that. */
  continue(account: AccountRecord): { code: string } {
    for (const session of this.#pairingSessions) {
      const { pending } = session;
      if (pending?.login.account !== account || pending.step !== 'verified') continue;
      return { code: this.#continue(session, pending) };
    }
    throw new SimulatorError(409, `no page waits for the phone of ${account.number}`);
  }

  /** The page confirms that the code is the same on both, and is linked. */
  confirm(session: PairingSession): void {
    const { login, step } = requirePending(session);
    if (step !== 'continued') throw new NetworkRefusal(400, 'bad-request');
    session.pending = undefined;
    // The page may have requested new ones meanwhile.
    session.references.stop();
    this.#link(session, login);
  }

  /** The user of the page cancels, and gets a new QR. */
  cancel(session: PairingSession): void {
    if (!session.pending) return;
    session.pending = undefined;
    session.references.start();
  }

  #continue(session: PairingSession, pending: PendingLink): string {
    pending.step = 'continued';
    const code = randomCode();
    session.connection.send({
      type: 'phone-continues',
      code,
      confirmed: pending.login.account.passkeyHandoff === 'automatic',
    });
    return code;
  }

  #check(
    { passkeys }: AccountRecord,
    challenge: { readonly value: string; readonly sinceMs: number } | undefined,
    assertion: PasskeyAssertion,
  ): PasskeyRefusal | undefined {
    if (!challenge) return 'challenge';
    const check = checkAssertion(assertion, { challenge: challenge.value, origin: ORIGIN, rpId: RP_ID, passkeys });
    if ('refusal' in check) return check.refusal;
    if (Date.now() - challenge.sinceMs > CHALLENGE_LIFETIME_MS) return 'expired';
    check.passkey.signCount = check.signCount;
    return undefined;
  }
}

/** Stores the public key of a passkey that a phone has created; 400 if it is not one for ES256. */
export function registerPasskey(account: AccountRecord, registration: PasskeyRegistration): void {
  const { credentialId, publicKey, signCount = 0 } = registration;
  const id = Buffer.from(credentialId, 'base64url').toString('base64url');
  account.passkeys.set(id, { credentialId: id, publicKey: parsePublicKey(publicKey), signCount });
  account.passkey = true;
}

function parsePublicKey(text: string): KeyObject {
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

function requirePending({ pending }: PairingSession): PendingLink {
  if (!pending) throw new NetworkRefusal(400, 'bad-request');
  return pending;
}
