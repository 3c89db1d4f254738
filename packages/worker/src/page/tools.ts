import type { PageId, PageMessage, PageWindow } from './window.ts';

declare const window: PageWindow;

/**
 * Makes ids readable however this build of the page spells their serialised form, adds to every message model its
 * ids as plain text, with phone numbers in the place of hidden ids where the page knows them, and leaves in the page
 * what the other scripts share.
 */
export function installTools(): void {
  const readable = (prototype: object) => {
    if (Object.hasOwn(prototype, '_serialized')) return;
    Object.defineProperty(prototype, '_serialized', {
      configurable: true,
      get(): string {
        return String(this);
      },
      // Builds that still have the property set it in the constructor.
      set(value: string) {
        Object.defineProperty(this, '_serialized', { value, writable: true, enumerable: true, configurable: true });
      },
    });
  };
  readable(window.require('WAWebMsgKey').prototype);
  for (const id of ['0@c.us', '0@g.us', '0@lid']) {
    readable(Object.getPrototypeOf(window.require('WAWebWidFactory').createWid(id)));
  }

  const { toPn } = window.require('WAWebLidMigrationUtils');
  const me = window.require('WAWebUserPrefsMeUser');
  const phoneOr = (wid: PageId | undefined) => {
    if (!wid) return undefined;
    const text = String(wid);
    return text.endsWith('@lid') ? String(toPn(wid) ?? text) : text;
  };
  const quotedId = ({ id, quotedStanzaID, quotedParticipant }: PageMessage) => {
    if (!quotedStanzaID || !quotedParticipant) return undefined;
    const author = phoneOr(quotedParticipant);
    const mine = author === phoneOr(me.getMaybeMePnUser() ?? me.getMaybeMeLidUser());
    const key = `${mine}_${id.remote}_${quotedStanzaID}`;
    return String(id.remote).endsWith('@g.us') ? `${key}_${quotedParticipant}` : key;
  };

  const { Msg } = window.require('WAWebCollections');
  const files = new Map<string, Blob>();
  const dropped = new Set<string>();
  const lateMs = 600_000;
  window.chatWebTools = {
    phoneOr,
    isMe: (id) => {
      const own = [me.getMaybeMePnUser(), me.getMaybeMeLidUser()];
      return own.some((wid) => wid !== undefined && String(wid) === String(id));
    },
    ownGroup: (id) => {
      const group = window.require('WAWebCollections').Chat.get(id);
      const members = group?.groupMetadata?.participants.getModelsArray() ?? [];
      return members.some((member) => window.chatWebTools.isMe(member.id)) ? group : undefined;
    },
    isRefusal: (error) => (error as { name?: string } | undefined)?.name === 'ServerStatusCodeError',
    findMessage: async (id) => Msg.get(id) ?? (await Msg.getMessagesById([id]))?.messages?.[0],
    contactModel: (contact) => {
      const { name, pushname, isMe, isUser, isMyContact, isWAContact, isBusiness, isBlocked } =
        window.WWebJS.getContactModel(contact);
      return {
        id: phoneOr(contact.id),
        isHidden: String(contact.id).endsWith('@lid'),
        ...{ name, pushname, isMe, isUser, isMyContact, isWAContact, isBusiness, isBlocked },
      };
    },
    files,
    keep: (key, file) => {
      if (!dropped.delete(key)) files.set(key, file);
    },
    drop: (key) => {
      if (files.delete(key)) return;
      dropped.add(key);
      setTimeout(() => dropped.delete(key), lateMs); // Most never come: there was nothing to load.
    },
  };

  // Media come as files that the browser has read from disk itself; the library would have them as one base64 string.
  const mediaInfoToFile = window.WWebJS.mediaInfoToFile;
  window.WWebJS.mediaInfoToFile = (info) => {
    const file = files.get(info.data);
    return file ? new File([file], info.filename ?? '', { type: info.mimetype }) : mediaInfoToFile(info);
  };

  const getMessageModel = window.WWebJS.getMessageModel;
  window.WWebJS.getMessageModel = (message) =>
    Object.assign(getMessageModel(message), {
      chatWeb: {
        id: String(message.id),
        from: phoneOr(message.from),
        to: phoneOr(message.to),
        author: phoneOr(message.author),
        quotedMessageId: quotedId(message),
        mentionedIds: (message.mentionedJidList ?? []).map(phoneOr),
      },
    });
}
