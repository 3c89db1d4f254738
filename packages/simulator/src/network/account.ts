import { randomBytes } from 'node:crypto';
import type { Account, LookUp } from '../api.ts';
import type {
  AccountSeed,
  Addressing,
  GroupPrivacy,
  Picture,
  PictureCode,
  Platform,
  Refusal,
} from '../control/inputs.ts';
import type { PageFault, ServerEvent } from '../page/wire.ts';
import type { Message } from './message.ts';

/** The connection of a page: what the network can do to it. */
export interface Line {
  send(event: ServerEvent): void;
  /** Cuts it as a lost network does. */
  drop(): void;
}

/** A linked device. */
export interface Device {
  readonly id: string;
  /** What it proves itself with. */
  readonly secret: string;
  readonly linkedAt: Date;
  /** There while it is logged in. */
  line: Line | undefined;
  /** Somebody at the page has answered the dialogue that greets a new device. */
  onboarded: boolean;
  /** It has synced once. */
  synced: boolean;
  /** What has come for it and is not confirmed by it yet. */
  readonly waiting: Set<Message>;
}

/** An account, its phone and its linked devices, as the network keeps them. */
export interface AccountRecord {
  readonly kind: 'person';
  readonly number: string;
  /** `<number>@c.us` */
  readonly pn: string;
  /** `<digits>@lid` */
  readonly lid: string;
  name: string;
  readonly platform: Platform;
  readonly addressing: Addressing;
  isBusiness: boolean;
  /** The text under the name. */
  about: string;
  picture: Picture;
  pictureDelayMs: number;
  /** What the network answers who asks for the picture, whatever there is. */
  pictureCode: PictureCode | undefined;
  groupPrivacy: GroupPrivacy;
  phoneOn: boolean;
  connected: boolean;
  /** How often a device of it has been let in. */
  logins: number;
  /** What is wrong with its pages, from their next load on. */
  fault: PageFault;
  /** What its pages send is never acknowledged. */
  restricted: boolean;
  /** What its pages send is refused. */
  refusal: Refusal;
  /** A passkey is asked for when a device is linked. */
  passkey: boolean;
  /** Others know it by LID alone. */
  readonly hiddenNumber: boolean;
  /** What its devices have asked whether it is registered. */
  readonly lookUps: LookUp[];
  readonly devices: Map<string, Device>;
  /** Who is in its address book, and under which name. */
  readonly book: Map<AccountRecord, string>;
  readonly blocked: Set<AccountRecord>;
  /** Whose number its devices have learned without having it in the book. */
  readonly disclosed: Set<AccountRecord>;
  /** Every message from and to it, in the order in which the server had them. */
  readonly log: Message[];
  /** Those that its phone has not got yet. */
  readonly waiting: Set<Message>;
}

/** An account from its seed, its phone on and nothing linked. */
export function createAccount(seed: AccountSeed): AccountRecord {
  const { number, name, lid, platform, hiddenNumber = false } = seed;
  const addressing = hiddenNumber ? 'lid' : (seed.addressing ?? 'pn');
  return {
    ...{ kind: 'person', number, name, pn: `${number}@c.us`, lid: `${lid ?? madeUpLid()}@lid` },
    ...{ platform: platform ?? 'android', addressing, hiddenNumber },
    ...{ isBusiness: false, about: 'Hey there! I am using WhatsApp.' },
    ...{
      picture: 'none',
      pictureDelayMs: 0,
      pictureCode: undefined,
      groupPrivacy: 'all',
      phoneOn: true,
      connected: true,
      logins: 0,
    },
    ...{ fault: 'none', restricted: false, refusal: { kind: 'none' }, passkey: false, lookUps: [] },
    ...{ devices: new Map(), book: new Map(), blocked: new Set(), disclosed: new Set(), log: [], waiting: new Set() },
  };
}

/** The id that chats with this account have in others' pages. */
export function chatIdOf(account: AccountRecord): string {
  return account.addressing === 'lid' ? account.lid : account.pn;
}

/** Says something to all devices of an account that are logged in, or to all but one. */
export function tellDevices(account: AccountRecord, event: ServerEvent, except?: Device): void {
  for (const device of account.devices.values()) if (device !== except) device.line?.send(event);
}

/** The account as the control API shows it. */
export function describeAccount(account: AccountRecord): Account {
  const { number, lid, name, platform, addressing, picture, groupPrivacy, isBusiness } = account;
  const { phoneOn, connected, logins, fault, restricted, hiddenNumber, passkey, lookUps } = account;
  const devices = [...account.devices.values()].map((device) => ({
    id: device.id,
    linkedAt: device.linkedAt.toISOString(),
    online: device.line !== undefined,
  }));
  return {
    ...{ number, lid, name, platform, addressing, picture, groupPrivacy, business: isBusiness },
    ...{ online: phoneOn, connected, logins, fault, restricted, hiddenNumber, passkey, lookUps, devices },
  };
}

function madeUpLid(): string {
  return `9${BigInt(`0x${randomBytes(6).toString('hex')}`)
    .toString()
    .padStart(15, '0')
    .slice(-13)}`;
}
