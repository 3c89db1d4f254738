import type { Offer } from './offer.ts';
import { randomCode } from './random-code.ts';
import type { AccountRecord } from './records.ts';

const holdsMs = 180_000;
const hourMs = 3_600_000;

interface Pairing {
  readonly account: AccountRecord;
  readonly offer: Offer;
  readonly since: number;
}

/** Codes that pages show instead of a QR, for the owner to type into the phone. Each is valid for three minutes. */
export class PairingCodes {
  readonly #pairings = new Map<string, Pairing>();
  readonly #created = new Map<AccountRecord, number[]>();

  /** A code for that page; invalidates an earlier one of the same page. */
  create(account: AccountRecord, offer: Offer): string {
    this.cancel(offer);
    const code = randomCode();
    this.#pairings.set(code, { account, offer, since: Date.now() });
    this.#created.set(account, [...this.#recent(account), Date.now()]);
    return code;
  }

  /** How many codes were created for the account within the last hour. */
  countOf(account: AccountRecord): number {
    return this.#recent(account).length;
  }

  /** The account that the valid code of that page is for. */
  accountOf(offer: Offer): AccountRecord | undefined {
    for (const pairing of this.#pairings.values())
      if (pairing.offer === offer && holds(pairing)) return pairing.account;
    return undefined;
  }

  /** Invalidates the code of that page. */
  cancel(offer: Offer): void {
    for (const [code, pairing] of this.#pairings) if (pairing.offer === offer) this.#pairings.delete(code);
  }

  /** The page that shows this code to that account; a code is valid once. */
  take(account: AccountRecord, code: string): Offer | undefined {
    const key = code.replaceAll('-', '').toUpperCase();
    const pairing = this.#pairings.get(key);
    if (pairing?.account !== account || !holds(pairing)) return undefined;
    this.#pairings.delete(key);
    return pairing.offer;
  }

  #recent(account: AccountRecord): number[] {
    return (this.#created.get(account) ?? []).filter((atMs) => Date.now() - atMs < hourMs);
  }
}

function holds({ since }: Pairing): boolean {
  return Date.now() - since <= holdsMs;
}
