import { setTimeout as delay } from 'node:timers/promises';
import { forget } from '../../network/linking.ts';
import { changeContacts } from '../../network/people.ts';
import { groupPictureUrl, pictureUrl } from '../pictures.ts';
import type { Handlers } from './handler.ts';

type Names = ('exists' | 'exists-many' | 'block' | 'business-profile') | ('picture' | 'onboarded' | 'logout');

/** Requests of a device about people, and about itself. */
export const peopleRequests: Handlers<Names> = {
  exists: ({ directory }, { account }, { jid }) => {
    account.lookUps.push({ at: new Date().toISOString(), jid });
    const found = directory.find(jid);
    if (!found || (found.hiddenNumber && !jid.endsWith('@lid'))) return null;
    return found.hiddenNumber ? directory.describeMember(found, account) : directory.describe(found, account);
  },
  'exists-many': ({ directory }, { account }, { phones, lids }) => {
    for (const jid of [...phones, ...lids]) account.lookUps.push({ at: new Date().toISOString(), jid });
    const byPhone = phones.map((phone) => {
      const person = directory.find(phone.replace('+', ''));
      const found = person && !person.hiddenNumber ? person : undefined;
      return { phone, pn: found?.pn, lid: found?.lid };
    });
    const byLid = lids.flatMap((lid) => {
      const person = directory.find(lid);
      return person ? [{ lid, pn: person.hiddenNumber ? undefined : person.pn }] : [];
    });
    return { phones: byPhone.reverse(), lids: byLid };
  },
  block: (network, { account }, { id, isBlocked }) => {
    changeContacts(network, account, { [isBlocked ? 'block' : 'unblock']: [id] });
    return null;
  },
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
    return null;
  },
  logout: (_network, { account, device }) => {
    forget(account, device, 'page');
    return null;
  },
};
