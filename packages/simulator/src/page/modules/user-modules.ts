import type { Contact } from '../models/contact.ts';
import { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';

function asUserWidOrThrow(wid: Wid): Wid {
  if (!wid.isUser()) throw new Error('wid error: not a user');
  return wid;
}

/** Ids in their forms, the account itself, its contacts, and which ids are registered. */
export function userModules({ users }: Page): Modules {
  return {
    WAWebMsgKey: MsgKey,
    WAWebWidFactory: {
      createWid,
      createWidFromWidLike: createWid,
      asUserWidOrThrow,
    },
    WAWebWidToJid: {
      widToUserJid: (wid: Wid) => wid.toJid(),
      widToGroupJid: (wid: Wid) => wid.toJid(),
    },
    WAWebUserPrefsMeUser: {
      getMaybeMePnUser: () => users.self && createWid(users.self.pn),
      getMaybeMeLidUser: () => users.self && createWid(users.self.lid),
    },
    WAWebApiContact: {
      getCurrentLid: (wid: Wid) => (wid.isLid() ? wid : users.lidOf(wid)),
      getPhoneNumber: (wid: Wid) => (wid.isLid() ? users.numberOf(wid) : wid),
      getAlternateUserWid: (wid: Wid) => {
        if (wid.device !== undefined) throw new Error('getAlternateUserWid - Invalid get call using deviceWid');
        return wid.isLid() ? users.numberOf(wid) : users.lidOf(wid);
      },
    },
    WAWebLidMigrationUtils: {
      toPn: (wid: Wid) => (wid.isLid() ? users.numberOf(wid) : wid),
      toLid: (wid: Wid) => (wid.isLid() ? wid : users.lidOf(wid)),
      getAlternateMsgKey: (key: MsgKey) => users.otherKey(key),
    },
    WAWebQueryExistsJob: {
      queryWidExists: async (wid: Wid) => {
        const user = await users.query(wid);
        if (!user) return null;
        return { wid: createWid(user.pn ?? user.lid), biz: user.isBusiness, disappearingMode: undefined };
      },
      queryUsernameExists: async (name: string, pin?: string) => {
        const found = await users.findByUsername(name, pin);
        if (!found) return null;
        return 'needsPin' in found
          ? { keyRequired: true, username: name, isUsernameSearch: true }
          : { wid: createWid(found.lid), biz: found.isBusiness, username: name, isUsernameSearch: true };
      },
    },
    WAWebContactGetters: contactGetters,
    WAWebFrontendContactGetters: {
      getIsMyContact: (contact: Contact) => contactGetters.getIsUser(contact) && contact.get('name') !== undefined,
    },
  };
}

const contactGetters = {
  getIsMe: (contact: Contact) => contact.get('isMe') ?? false,
  getIsUser: (contact: Contact) => contact.get('id')?.isUser() ?? false,
  getIsGroup: (contact: Contact) => contact.get('id')?.isGroup() ?? false,
  getIsWAContact: (contact: Contact) => contactGetters.getIsUser(contact) && contact.get('type') === 'in',
  getUserid: (contact: Contact) => contact.get('id')?.user,
  getVerifiedName: () => undefined,
  getVerifiedLevel: () => undefined,
  getStatusMute: () => false,
  getName: (contact: Contact) => contact.get('name'),
  getShortName: (contact: Contact) => contact.get('shortName'),
  getPushname: (contact: Contact) => contact.get('pushname'),
  getIsEnterprise: () => false,
};
