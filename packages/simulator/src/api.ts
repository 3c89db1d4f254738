import type { SimulatorSettings } from './settings.ts';

/** How chats with an account are addressed: by number, or by its hidden number. */
export type Addressing = 'pn' | 'lid';

/** What a phone runs. */
export type Platform = 'android' | 'iphone';

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
  /** The phone is on. */
  readonly online: boolean;
  /** Its linked devices have a network. */
  readonly connected: boolean;
  readonly devices: readonly LinkedDevice[];
}

/** A page that is open in some browser. */
export interface Page {
  /** Stays the same over reloads of the tab. */
  readonly id: string;
  readonly socketState: string;
  readonly hasSynced: boolean;
  /** The text of the QR that it shows. */
  readonly qr?: string;
  /** The account that it is linked to. */
  readonly number?: string;
}

/** A message as a phone has it; people as `<number>@c.us`. */
export interface PhoneMessage {
  /** The stanza id, as in the last part of a page's message id. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly fromMe: boolean;
  readonly body: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** 1 on the server, 2 delivered, 3 read. */
  readonly ack: number;
  readonly quotedMessageId?: string;
  readonly quotedBody?: string;
}

/** What a phone is to send. */
export interface OutgoingMessage {
  /** A number or `<number>@c.us`. */
  readonly to: string;
  readonly body: string;
  /** A stanza id, or a page's message id. */
  readonly quotedMessageId?: string | undefined;
  /** The receiving pages cannot decrypt it before so many milliseconds have passed. */
  readonly decryptLateMs?: number | undefined;
}

/** What can happen to a page; `conflict` and `idle` come from the network. */
export type Disturbance = 'reload' | 'pushState' | 'iframe' | 'sync' | 'conflict' | 'idle';

/** Plays the phones and the network. Every call ends within 10 s, or rejects with the simulator's own sentence. */
export interface SimulatorClient {
  accounts(): Promise<Account[]>;
  account(number: string): Promise<Account>;
  addAccount(seed: AccountSeed): Promise<Account>;
  pages(): Promise<Page[]>;
  /** Links the page that shows this QR, given as its text or as a PNG data URL. */
  scan(number: string, qr: string): Promise<{ deviceId: string }>;
  send(number: string, message: OutgoingMessage): Promise<PhoneMessage>;
  /** All that the phone has, oldest first. */
  messages(number: string, filter?: { with?: string }): Promise<PhoneMessage[]>;
  /** The phone opens the chat with `from`: its messages become read. */
  read(number: string, from: string): Promise<{ read: number }>;
  /** Turns the phone on or off; while it is off, what comes for it waits. */
  setOnline(number: string, online: boolean): Promise<void>;
  /** Unlinks one device, or all; their pages raise it `times` times. */
  logout(number: string, options?: { deviceId?: string; times?: number }): Promise<{ devices: number }>;
  /** Takes the network away from the account's linked devices. */
  disconnect(number: string): Promise<void>;
  reconnect(number: string): Promise<void>;
  disturb(pageId: string, kind: Disturbance): Promise<void>;
  settings(): Promise<SimulatorSettings>;
  /** What concerns pages holds from their next load on. */
  configure(settings: Partial<SimulatorSettings>): Promise<SimulatorSettings>;
}
