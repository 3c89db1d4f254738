import type { PageFault } from './page/wire.ts';

export type { PageFault };

/** How chats with an account are addressed: by number, or by its hidden number. */
export type Addressing = 'pn' | 'lid';

/** What a phone runs. */
export type Platform = 'android' | 'iphone';

/** Whether an account has a picture, and whether others may see it. */
export type Picture = 'none' | 'private' | 'present';

/** A code with which the network refuses a picture: private, none, locked, too many questions, or a fault of its own. */
export type PictureCode = 401 | 404 | 423 | 429 | 500;

/** Who may put an account into a group; others can only invite it. */
export type GroupPrivacy = 'all' | 'invite_only';

/** What an account is made from. */
export interface AccountSeed {
  /** Digits with the country code, without a plus. */
  readonly number: string;
  /** The name that the person chose. */
  readonly name: string;
  /** Digits of the hidden number; made up where absent. */
  readonly lid?: string | undefined;
  /** Default `android`. */
  readonly platform?: Platform | undefined;
  /** Default `pn`. */
  readonly addressing?: Addressing | undefined;
  /** No page ever learns the number: the person is known by LID alone. Only the control API names them by it. */
  readonly hiddenNumber?: boolean | undefined;
}

/** A question whether an id is registered. */
export interface LookUp {
  /** ISO 8601. */
  readonly at: string;
  readonly jid: string;
}

/**
 * What becomes of what an account's pages send: `network` refuses it with a status (ERROR_NETWORK, ack 0), `nack`
 * after the server had it (ERROR_UNKNOWN with the code, ack -1).
 */
export type Refusal =
  | { readonly kind: 'none' }
  | { readonly kind: 'network' | 'nack'; readonly code?: number | undefined };

/** What comes into an account's pages without anybody having written it. */
export type NoticeKind = 'call_log' | 'e2e_notification' | 'notification_template' | 'newsletter';

/** One of those. */
export interface NoticeDraft {
  readonly kind: NoticeKind;
  /** A number, `<number>@c.us` or a group; for a channel `<18 digits>@newsletter`. */
  readonly from: string;
  /** Whether pages are told that it is new; by default all but a call log's entry, as in the real page. */
  readonly isNewMsg?: boolean | undefined;
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

/** What an account tells of itself. */
export interface ProfileChange {
  readonly picture?: Picture | undefined;
  /** How long the network takes to say where the picture is. */
  readonly pictureDelayMs?: number | undefined;
  /** What the network answers who asks for the picture, whatever there is; null for what is true. */
  readonly pictureCode?: PictureCode | null | undefined;
  readonly groupPrivacy?: GroupPrivacy | undefined;
  readonly business?: boolean | undefined;
  readonly name?: string | undefined;
}

/** What happens in a phone's address book. */
export interface ContactsChange {
  readonly save?: readonly { readonly number: string; readonly name: string }[] | undefined;
  readonly forget?: readonly string[] | undefined;
  readonly block?: readonly string[] | undefined;
  readonly unblock?: readonly string[] | undefined;
}
