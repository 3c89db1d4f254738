import type { CueOptions, StageCue } from './page/wire.ts';

export type { SocketState } from './page/socket-states.ts';

/** A page that is open in some browser. */
export interface Page {
  /** Stays the same over reloads of the tab. */
  readonly id: string;
  readonly socketState: string;
  readonly hasSynced: boolean;
  /** The text of the QR that it shows. */
  readonly qr?: string;
  /** How long it has shown this one. */
  readonly qrAgeMs?: number;
  /** The account that it is linked to. */
  readonly number?: string;
  /** What was last written by `disturb(id, 'write', …)` in this browser profile, as far as it is still there. */
  readonly lastWrite?: string;
}

/** What can happen to a page; `conflict` and `idle` come from the network. */
export type Disturbance = StageCue['kind'] | 'conflict' | 'idle';

/** What `disturb` takes after the kind: one object for the kinds that have options, nothing for the others. */
export type OptionsOf<K extends Disturbance> = K extends keyof CueOptions ? [options: CueOptions[K]] : [];
