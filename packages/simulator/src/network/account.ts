import { createHash } from 'node:crypto';
import type { ServerEvent, WireSaved } from '../page/wire.ts';
import type { AccountRecord, Device } from './records.ts';

/** The platform of the phone, as its pages know it. */
export function platformOf({ platform, isBusiness }: AccountRecord): string {
  if (!isBusiness) return platform;
  return platform === 'iphone' ? 'smbi' : 'smba';
}

/** The id that chats with this account have in others' pages. */
export function chatIdOf(account: AccountRecord): string {
  return account.addressing === 'lid' ? account.lid : account.pn;
}

/** A contact in the address book of the phone. */
export function savedOnPhone(name: string): WireSaved {
  return { name, shortName: name.split(' ')[0] ?? name, isOnPhone: true, isByUsername: false };
}

/** The contacts of an account, as the control API shows them. */
export function listSaved({ book }: AccountRecord) {
  return [...book].map(([{ number }, { name, shortName, isOnPhone, isByUsername }]) => ({
    number,
    name,
    shortName,
    onPhone: isOnPhone,
    byUsername: isByUsername,
  }));
}

/** Sends an event to all devices of an account that are logged in, or to all but one. */
export function notifyDevices(account: AccountRecord, event: ServerEvent, except?: Device): void {
  for (const device of account.devices.values()) if (device !== except) device.connection?.send(event);
}

export type Account = ReturnType<typeof describeAccount>;

/** The account as the control API shows it. */
export function describeAccount(account: AccountRecord) {
  const { number, lid, name, about, privacy, platform, addressing, picture, groupPrivacy, isBusiness } = account;
  const { phoneOn, connected, logins, fault, restricted, hiddenNumber, passkey, passkeyAnswers, lookUps, unlinks } =
    account;
  const blocked = [...account.blocked].map(({ pn }) => pn);
  const devices = [...account.devices.values()].map((device) => ({
    id: device.id,
    name: device.name,
    linkedAt: device.linkedAt.toISOString(),
    online: device.connection !== undefined,
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
    refusals: account.refusals,
  };
}
