/** A person as an account's linked devices know them. */
export interface WireUser {
  /** `<number>@c.us` */
  readonly pn: string;
  /** `<digits>@lid` */
  readonly lid: string;
  /** The id that the chat with this person has: one of the two above. */
  readonly chat: string;
  /** The name that the person chose. */
  readonly pushname: string;
  /** The name in the account's address book; absent for strangers. */
  readonly name?: string;
}

/** The account that a device is linked to. */
export interface WireSelf extends WireUser {
  readonly platform: string;
}

/** What a reply tells of the message that it answers. */
export interface WireQuote {
  readonly id: string;
  /** Who wrote it, as `@c.us` or `@lid` id. */
  readonly author: string;
  readonly body: string;
}

/** A message as one account sees it. */
export interface WireMessage {
  /** The stanza id: the last part of a serialised message id. */
  readonly id: string;
  readonly chat: string;
  readonly from: string;
  readonly to: string;
  readonly fromMe: boolean;
  /** Unix seconds. */
  readonly t: number;
  readonly ack: number;
  readonly body: string;
  readonly notifyName?: string;
  readonly quoted?: WireQuote;
  /** Stays undecrypted for so long after it arrived. */
  readonly decryptLateMs?: number;
}

/** A chat with its newest messages, oldest first. */
export interface WireChat {
  readonly id: string;
  readonly unreadCount: number;
  readonly messages: readonly WireMessage[];
}

/** A message that a page wants to send. */
export interface WireDraft {
  readonly id: string;
  readonly chat: string;
  readonly t: number;
  readonly body: string;
  readonly quoted?: WireQuote;
}

/** Questions of a page that the network answers, by name. */
export interface Requests {
  /** Who has this `@c.us` or `@lid` id; null where nobody has. */
  exists: { params: { jid: string }; result: WireUser | null };
  /** Answered when the server has the message (ack 1). Sending an id twice delivers it once. */
  send: { params: WireDraft; result: { t: number } };
  /** Marks a chat as read. */
  read: { params: { chat: string }; result: { read: number } };
  /** Up to `limit` messages of a chat before the message `before`, oldest first. */
  history: { params: { chat: string; before?: string; limit: number }; result: WireMessage[] };
  /** A message by its stanza id. */
  message: { params: { id: string }; result: WireMessage | null };
  /** The dialogue that greets a new device has been answered. */
  onboarded: { params: Record<string, never>; result: null };
  /** Unlinks this device. */
  logout: { params: Record<string, never>; result: null };
}

export type RequestName = keyof Requests;

/** What a page says on `/ws/chat`. */
export type PageMessage =
  /** Not linked: wants QR references, and says which keys its QR carries. */
  | { readonly type: 'register'; readonly noiseKey: string; readonly identityKey: string }
  | { readonly type: 'login'; readonly deviceId: string; readonly secret: string }
  /** Has taken in a message; until it says so, the message comes again at the next login. */
  | { readonly type: 'received'; readonly id: string }
  /** Wants fresh references after the last one ran out. */
  | { readonly type: 'refresh' }
  | {
      readonly [N in RequestName]: {
        readonly type: 'request';
        readonly request: number;
        readonly name: N;
        readonly params: Requests[N]['params'];
      };
    }[RequestName];

/** What the network says on `/ws/chat`. */
export type ServerEvent =
  | { readonly type: 'ref'; readonly ref: string }
  | { readonly type: 'refs-ended' }
  | { readonly type: 'pairing' }
  | { readonly type: 'paired'; readonly deviceId: string; readonly secret: string }
  /** The login was accepted: everything that the device should know. */
  | {
      readonly type: 'welcome';
      readonly self: WireSelf;
      /** False until the page has answered the dialogue that greets a new device. */
      readonly onboarded: boolean;
      readonly users: readonly WireUser[];
      readonly chats: readonly WireChat[];
    }
  /** How much of what came while the device was away has been delivered. */
  | { readonly type: 'progress'; readonly percent: number }
  | { readonly type: 'synced' }
  | { readonly type: 'message'; readonly message: WireMessage; readonly user?: WireUser }
  | { readonly type: 'ack'; readonly chat: string; readonly ids: readonly string[]; readonly ack: number }
  /** The chat was read elsewhere. */
  | { readonly type: 'chat-read'; readonly chat: string }
  /** Unlinked; the page raises it so many times, and goes through state UNPAIRED before it reloads if told to. */
  | { readonly type: 'logged-out'; readonly times: number; readonly unpaired: boolean }
  | { readonly type: 'conflict' }
  | { readonly type: 'answer'; readonly request: number; readonly result: unknown }
  | { readonly type: 'refused'; readonly request: number; readonly message: string };

/** What a page reports on `/ws/stage`: what somebody who looks at it would see. */
export interface PageReport {
  readonly socketState: string;
  readonly hasSynced: boolean;
  /** The text of the QR on the screen. */
  readonly qr?: string;
  /** The number of the account that it is linked to. */
  readonly number?: string;
}

/** What the stage may do to a page. */
export type StageCue = 'reload' | 'pushState' | 'iframe' | 'sync';

/** What a page is told with its document. */
export interface PageSettings {
  readonly idProperty: string;
  readonly widProperty: string;
  readonly reconnectDelayMs: number;
}
