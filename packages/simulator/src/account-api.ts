import type { Addressing, GroupPrivacy, Picture, Platform } from './control/inputs.ts';
import type { PageFault } from './page/wire.ts';

export type { PageFault };

/** A check whether an id is registered. */
export interface LookUp {
  /** ISO 8601. */
  readonly at: string;
  readonly jid: string;
}

/** A device that is linked to an account. */
export interface LinkedDevice {
  readonly id: string;
  /** ISO 8601. */
  readonly linkedAt: string;
  /** True while it is logged in. */
  readonly online: boolean;
}

/** An account and its phone. */
export interface Account {
  readonly number: string;
  /** `<digits>@lid` */
  readonly lid: string;
  readonly name: string;
  readonly platform: Platform;
  readonly addressing: Addressing;
  readonly picture: Picture;
  readonly groupPrivacy: GroupPrivacy;
  /** It is a business account. */
  readonly business: boolean;
  /** The phone is on. */
  readonly online: boolean;
  /** Its linked devices have a network. */
  readonly connected: boolean;
  /** How often its linked pages have logged in, takeovers included. */
  readonly logins: number;
  /** The fault of its pages, from their next load on. */
  readonly fault: PageFault;
  /** Messages from its pages are never acknowledged. */
  readonly restricted: boolean;
  readonly hiddenNumber: boolean;
  /** Linking a device requires a passkey. */
  readonly passkey: boolean;
  /** The ids whose registration its linked devices have checked, oldest first. */
  readonly lookUps: readonly LookUp[];
  readonly devices: readonly LinkedDevice[];
}
