import type { QrReferences } from './qr-references.ts';
import type { AccountRecord, Device, Line } from './records.ts';

/** A page that offers itself for linking: the keys that its QR carries, and its references. */
export interface Offer {
  readonly line: Line;
  readonly noiseKey: string;
  readonly identityKey: string;
  readonly references: QrReferences;
  /** Present once it was scanned and needs a passkey before it is linked. */
  pending?: PendingLink | undefined;
}

/** The link of a page that has to show a passkey. */
export interface PendingLink {
  readonly login: Login;
  /** The passkey is requested; the network has verified it; the phone has continued. */
  stage: 'asked' | 'proven' | 'continued';
  /** The current challenge; undefined once it was used. */
  challenge: { readonly value: string; readonly sinceMs: number } | undefined;
}

/** A device that has logged in, and its account. */
export interface Login {
  readonly account: AccountRecord;
  readonly device: Device;
}
