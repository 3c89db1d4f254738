import type { QrReferences } from './qr-references.ts';
import type { AccountRecord, Device, Line } from './records.ts';

/** A page that offers itself for linking: the keys that its QR carries, and its references. */
export interface Offer {
  readonly line: Line;
  readonly noiseKey: string;
  readonly identityKey: string;
  readonly references: QrReferences;
  /** Scanned, and not linked without a passkey. */
  pending?: PendingLink | undefined;
}

/** The link of a page that has to show a passkey. */
export interface PendingLink {
  readonly login: Login;
  /** The page is asked; the network has its passkey; the phone has gone on. */
  stage: 'asked' | 'proven' | 'continued';
  /** What a passkey has to sign now; undefined once it was tried. */
  challenge: { readonly value: string; readonly sinceMs: number } | undefined;
}

/** A device that has logged in, and its account. */
export interface Login {
  readonly account: AccountRecord;
  readonly device: Device;
}
