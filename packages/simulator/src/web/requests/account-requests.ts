import { setTimeout as delay } from 'node:timers/promises';
import { reject } from '../../network/calls.ts';
import { forget } from '../../network/linking.ts';
import { changeContacts, changeProfile, setContact } from '../../network/people.ts';
import { groupPictureUrl, pictureUrl } from '../media.ts';
import type { Handlers } from './handler.ts';

export const accountRequests = {
  about: ({ directory }, { account }, { id }) => {
    const found = directory.find(id);
    // It is never hidden from the account itself.
    const isHidden = found !== account && (!found || found.hidesAbout || found.blocked.has(account));
    return { about: isHidden ? '' : (found?.about ?? ''), isHidden };
  },
  'set-name': (network, { account }, { name }) => {
    changeProfile(network, account, { name });
  },
  'set-about': (_network, { account }, { about }) => {
    account.about = about;
  },
  'set-picture': ({ groups }, { account }, { id, data }) => {
    const jpeg = data === null ? undefined : Buffer.from(data, 'base64');
    if (id.endsWith('@g.us')) groups.setPicture(groups.get(id, account), account, jpeg);
    else Object.assign(account, { jpeg, picture: jpeg ? 'present' : 'none' });
  },
  'set-privacy': (_network, { account }, { name, value }) => {
    account.privacy = { ...account.privacy, [name]: value };
  },
  'see-status': ({ delivery }, { account }, { id }) => delivery.seeStatus(account, id),
  // A person is identified by hidden id only.
  'subscribe-presence': (network, { account, device }, { id }) => {
    const { connection } = device;
    if (connection && /@(lid|g\.us)$/.test(id))
      network.presences.subscribe(connection, device, account, network.peer(id, account, 'id'));
  },
  'reject-call': (network, { account }, { id }) => reject(network, account, id),
  presence: (_network, { device }, { presence }) => {
    device.presence = presence;
  },
  username: ({ directory }, { account }, { name, pin }) => {
    account.lookUps.push({ at: new Date().toISOString(), jid: `@${name}` });
    const found = directory.all().find(({ username }) => username === name);
    if (!found) return null;
    if (found.usernamePin !== undefined && found.usernamePin !== pin) return { needsPin: true as const };
    return directory.describeMember(found, account);
  },
  limits: (_network, { account }) => {
    const { timeLockedUntil } = account.limits;
    if (timeLockedUntil !== null && timeLockedUntil < Date.now())
      account.limits = { ...account.limits, timeLockedUntil: null };
    return account.limits;
  },
  exists: ({ directory }, { account }, { jid }) => {
    account.lookUps.push({ at: new Date().toISOString(), jid });
    const found = directory.lookUp(jid);
    if (!found || (found.hiddenNumber && !/@(lid|bot)$/.test(jid))) return null;
    return found.hiddenNumber ? directory.describeMember(found, account) : directory.describe(found, account);
  },
  'exists-many': ({ directory }, { account }, { phones, lids }) => {
    for (const jid of [...phones, ...lids]) account.lookUps.push({ at: new Date().toISOString(), jid });
    const byPhone = phones.map((phone) => {
      const person = directory.lookUp(phone);
      const found = person && !person.hiddenNumber ? person : undefined;
      return { phone, pn: found?.pn, lid: found?.lid };
    });
    const byLid = lids.flatMap((lid) => {
      const person = directory.find(lid);
      return person ? [{ lid, pn: person.hiddenNumber ? undefined : person.pn }] : [];
    });
    return { phones: byPhone.reverse(), lids: byLid };
  },
  block: (network, { account }, { id, isBlocked }) =>
    changeContacts(network, account, { [isBlocked ? 'block' : 'unblock']: [id] }),
  'set-contact': setContact,
  'business-profile': ({ directory }, _login, { id }) => {
    const found = directory.find(id);
    return (found?.isBusiness && found.businessProfile) || null;
  },
  picture: async ({ directory, groups }, { account }, { id }) => {
    const group = groups.find(id);
    if (group && !group.members.has(account)) return { code: 401 };
    if (group) return group.picture ? { url: groupPictureUrl(group) } : { code: 404 };
    const found = directory.find(id);
    if (!found) return { code: 404 };
    if (found.pictureDelayMs > 0) await delay(found.pictureDelayMs, undefined, { ref: false });
    if (found.pictureCode !== undefined) return { code: found.pictureCode };
    if (found.picture === 'present') return { url: pictureUrl(found) };
    return { code: found.picture === 'private' ? 401 : 404 };
  },
  onboarded: (_network, { device }) => {
    device.onboarded = true;
  },
  logout: (_network, { account, device }) => forget(account, device, 'page'),
} satisfies Partial<Handlers>;
