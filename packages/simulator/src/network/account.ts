import { createHash, randomBytes } from 'node:crypto';
import type { Account } from '../api.ts';
import type { AccountSeed } from '../control/inputs.ts';
import type { ServerEvent } from '../page/wire.ts';
import type { AccountRecord, Device } from './records.ts';

/** An account from its seed, with its phone on and no linked device. */
export function createAccount(seed: AccountSeed): AccountRecord {
  const { number, name, lid, platform, hiddenNumber = false } = seed;
  const addressing = hiddenNumber ? 'lid' : (seed.addressing ?? 'pn');
  return {
    kind: 'person',
    number,
    name,
    about: '',
    hidesAbout: false,
    privacy: {
      ...{ last: 'all', online: 'all', profile: 'all', status: 'all', readreceipts: 'all' },
      ...{ groupadd: 'all', calladd: 'all' },
    },
    pn: `${number}@c.us`,
    lid: `${lid ?? madeUpLid()}@lid`,
    platform: platform ?? 'android',
    addressing,
    hiddenNumber,
    isBusiness: false,
    picture: 'none',
    jpeg: undefined,
    pictureDelayMs: 0,
    pictureCode: undefined,
    groupPrivacy: 'all',
    phoneOn: true,
    connected: true,
    logins: 0,
    fault: 'none',
    restricted: false,
    refusal: { kind: 'none' },
    passkey: false,
    passkeys: new Map(),
    passkeyAnswers: [],
    passkeyHandoff: 'automatic',
    codeRefusal: undefined,
    lookUps: [],
    devices: new Map(),
    unlinks: [],
    book: new Map(),
    blocked: new Set(),
    businessProfile: undefined,
    disclosed: new Set(),
    log: [],
    waiting: new Set(),
    ringing: undefined,
    appOpen: false,
    lastSeenMs: undefined,
    onlyOnPhone: new Set(),
    oldMessages: 'shared',
    keptChats: new Set(),
    deletedChats: new Set(),
    labels: [],
    marks: new Map(),
    refusedRequests: new Map(),
  };
}

/** The platform of the phone, as its pages know it. */
export function platformOf({ platform, isBusiness }: AccountRecord): string {
  if (!isBusiness) return platform;
  return platform === 'iphone' ? 'smbi' : 'smba';
}

/** The id that chats with this account have in others' pages. */
export function chatIdOf(account: AccountRecord): string {
  return account.addressing === 'lid' ? account.lid : account.pn;
}

/** Sends an event to all devices of an account that are logged in, or to all but one. */
export function notifyDevices(account: AccountRecord, event: ServerEvent, except?: Device): void {
  for (const device of account.devices.values()) if (device !== except) device.line?.send(event);
}

/** The account as the control API shows it. */
export function describeAccount(account: AccountRecord): Account {
  const { number, lid, name, about, privacy, platform, addressing, picture, groupPrivacy, isBusiness } = account;
  const { phoneOn, connected, logins, fault, restricted, hiddenNumber, passkey, passkeyAnswers, lookUps, unlinks } =
    account;
  const blocked = [...account.blocked].map(({ pn }) => pn);
  const devices = [...account.devices.values()].map((device) => ({
    id: device.id,
    linkedAt: device.linkedAt.toISOString(),
    online: device.line !== undefined,
    presence: device.presence,
    keys: device.keys,
  }));
  return {
    number,
    lid,
    name,
    about,
    privacy,
    platform,
    addressing,
    picture,
    pictureSha256: account.jpeg && createHash('sha256').update(account.jpeg).digest('hex'),
    groupPrivacy,
    business: isBusiness,
    blocked,
    online: phoneOn,
    connected,
    logins,
    fault,
    restricted,
    hiddenNumber,
    passkey,
    passkeys: [...account.passkeys.values()].map(({ credentialId, signCount }) => ({ credentialId, signCount })),
    passkeyAnswers,
    lookUps,
    devices,
    unlinks,
  };
}

function madeUpLid(): string {
  return `9${BigInt(`0x${randomBytes(6).toString('hex')}`)
    .toString()
    .padStart(15, '0')
    .slice(-13)}`;
}
