import type { QrReferences } from './qr-references.ts';
import type { AccountRecord, Device, Line } from './records.ts';

/** A page that offers itself for linking: the keys that its QR carries, and its references. */
export interface Offer {
  readonly line: Line;
  readonly noiseKey: string;
  readonly identityKey: string;
  readonly references: QrReferences;
  /** Scanned, and waiting for a passkey. */
  pending?: Login | undefined;
}

/** A device that has logged in, and its account. */
export interface Login {
  readonly account: AccountRecord;
  readonly device: Device;
}
