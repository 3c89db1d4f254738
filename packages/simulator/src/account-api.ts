import type { Addressing, GroupPrivacy, Picture, Platform } from './control/inputs.ts';
import type { PageFault, WirePresence, WirePrivacy } from './page/wire.ts';

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
  /** Whether it has reported that its user is present. */
  readonly presence: WirePresence;
  /** How often its keys have advanced, by logins and messages. */
  readonly keys: number;
}

/**
 * Why a device was unlinked: on the phone, by its own page, by the request for a pairing code, because an old copy of
 * its profile logged in, or because the dialogue "What's new" was not answered.
 */
export type UnlinkCause = 'phone' | 'page' | 'pairing_code' | 'old_keys' | 'whats_new';

/** A passkey of an account. */
export interface RegisteredPasskey {
  /** URL-safe base64. */
  readonly credentialId: string;
  /** Of its last signature. */
  readonly signCount: number;
}

/**
 * Why the assertion of a passkey was refused: it is malformed, its passkey is not registered, it is for another
 * ceremony, its challenge is unknown or was used (`challenge`) or is too old (`expired`), it was made for another site
 * (`origin`, `rp_id`), without a user, or without verifying the user; its signature is wrong, or its count did not
 * increase.
 */
export type PasskeyRefusal =
  | ('malformed' | 'credential' | 'type' | 'challenge' | 'expired' | 'origin' | 'rp_id')
  | ('user_present' | 'user_verified' | 'signature' | 'counter');

/** An assertion that a page has sent. */
export interface PasskeyAnswer {
  /** ISO 8601. */
  readonly at: string;
  /** Absent if it was accepted. */
  readonly refusal?: PasskeyRefusal | undefined;
}

/** A device that was unlinked. */
export interface Unlink {
  /** ISO 8601. */
  readonly at: string;
  readonly deviceId: string;
  readonly cause: UnlinkCause;
}

/** An account and its phone. */
export interface Account {
  readonly number: string;
  /** `<digits>@lid` */
  readonly lid: string;
  /** The name that others see. */
  readonly name: string;
  readonly about: string;
  readonly privacy: WirePrivacy;
  readonly platform: Platform;
  readonly addressing: Addressing;
  readonly picture: Picture;
  /** Hex; of the picture that one of its pages has set. */
  readonly pictureSha256?: string | undefined;
  readonly groupPrivacy: GroupPrivacy;
  /** It is a business account. */
  readonly business: boolean;
  /** The people it has blocked, as `<number>@c.us`. */
  readonly blocked: readonly string[];
  /** The phone is on. */
  readonly online: boolean;
  /** Its linked devices can connect to the network. */
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
  readonly passkeys: readonly RegisteredPasskey[];
  /** The assertions that pages have sent to be linked to it, oldest first. */
  readonly passkeyAnswers: readonly PasskeyAnswer[];
  /** The ids whose registration its linked devices have checked, oldest first. */
  readonly lookUps: readonly LookUp[];
  readonly devices: readonly LinkedDevice[];
  /** The devices that were unlinked, oldest first. */
  readonly unlinks: readonly Unlink[];
}
