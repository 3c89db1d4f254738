import type { Addressing, GroupPrivacy, Picture, Platform } from './control/inputs.ts';
import type { PageFault } from './page/wire.ts';

export type { PageFault };

/** A question whether an id is registered. */
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
  /** How often a linked page of it has been let in, takeovers included. */
  readonly logins: number;
  /** What is wrong with its pages, from their next load on. */
  readonly fault: PageFault;
  /** What its pages send is never acknowledged. */
  readonly restricted: boolean;
  readonly hiddenNumber: boolean;
  /** A passkey is asked for when a device is linked. */
  readonly passkey: boolean;
  /** What its linked devices have asked the network whether it is registered, oldest first. */
  readonly lookUps: readonly LookUp[];
  readonly devices: readonly LinkedDevice[];
}
