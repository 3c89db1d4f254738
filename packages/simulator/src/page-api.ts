import type { PasskeyScreenName } from './page/models/passkey-view.ts';
import type { CueOptions, StageCue } from './page/wire.ts';

export type { SocketState } from './page/socket-states.ts';

/** A page that is open in some browser. */
export interface Page {
  /** Stays the same over reloads of the tab. */
  readonly id: string;
  readonly socketState: string;
  readonly hasSynced: boolean;
  /** The text of the QR that it shows. */
  readonly qr?: string | undefined;
  /** How long it has shown this one. */
  readonly qrAgeMs?: number | undefined;
  /** The screen for a passkey that covers it, and the code on that screen. */
  readonly passkeyScreen?: PasskeyScreenName | undefined;
  readonly verificationCode?: string | undefined;
  /** The account whose owner has to type a pairing code that the page shows. */
  readonly codeFor?: string | undefined;
  /** The account that has scanned it, or typed its code, and requires a passkey. */
  readonly passkeyFor?: string | undefined;
  /** The account that it is linked to. */
  readonly number?: string | undefined;
  /** The last value that `disturb(id, 'write', …)` wrote in this browser profile, if it still exists. */
  readonly lastWrite?: string | undefined;
  /** How the browser identifies itself: `navigator.userAgent`, and the names in `navigator.userAgentData`. */
  readonly browser: { readonly userAgent: string; readonly brands: readonly string[] };
}

/** Events that can be caused in a page; `conflict` and `idle` come from the network. */
export type Disturbance = StageCue['kind'] | 'conflict' | 'idle';

/** The arguments of `disturb` after the page: a kind, and its options if it has any. */
export type DisturbArguments =
  | [kind: Exclude<Disturbance, keyof CueOptions>, options?: undefined]
  | { [K in keyof CueOptions]: [kind: K, options: CueOptions[K]] }[keyof CueOptions];
