import { randomInt } from 'node:crypto';
import type { PairingSession } from './pairing-session.ts';
import type { AccountRecord } from './records.ts';

const CODE_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTVWXYZ';
const CODE_LENGTH = 8;

/** A code that a person reads on one device and types or compares on another. */
export function randomCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
}

const CODE_LIFETIME_MS = 180_000;

interface Pairing {
  readonly account: AccountRecord;
  readonly session: PairingSession;
  readonly since: number;
}

/** Codes that pages show instead of a QR, for the owner to type into the phone. Each is valid for three minutes. */
export class PairingCodes {
  readonly #pairings = new Map<string, Pairing>();

  /** A code for that page; invalidates an earlier one of the same page. */
  create(account: AccountRecord, session: PairingSession): string {
    this.cancel(session);
    const code = randomCode();
    this.#pairings.set(code, { account, session, since: Date.now() });
    return code;
  }

  /** The account that the valid code of that page is for. */
  accountOf(session: PairingSession): AccountRecord | undefined {
    for (const pairing of this.#pairings.values())
      if (pairing.session === session && isValid(pairing)) return pairing.account;
    return undefined;
  }

  cancel(session: PairingSession): void {
    for (const [code, pairing] of this.#pairings) if (pairing.session === session) this.#pairings.delete(code);
  }

  /** The page that shows this code to that account; a code is valid once. */
  take(account: AccountRecord, code: string): PairingSession | undefined {
    const key = code.replaceAll('-', '').toUpperCase();
    const pairing = this.#pairings.get(key);
    if (pairing?.account !== account || !isValid(pairing)) return undefined;
    this.#pairings.delete(key);
    return pairing.session;
  }
}

function isValid({ since }: Pairing): boolean {
  return Date.now() - since <= CODE_LIFETIME_MS;
}
