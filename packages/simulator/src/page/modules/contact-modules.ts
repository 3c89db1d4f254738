import { encodeB64 } from '../base64.ts';
import { Collection } from '../collection.ts';
import type { Connection } from '../connection.ts';
import { ServerStatusCodeError } from '../errors.ts';
import { Chat, chats } from '../models/chat.ts';
import type { Contact } from '../models/contact.ts';
import { storedGroup } from '../models/group.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import { createWid, type Wid } from '../wid.ts';

/** Details and pictures of people, and the people whom the account has blocked. */
export function contactModules({ connection, users }: Page): Modules {
  /** A person in a query. */
  class USyncUser {
    phone: string | undefined;
    id: Wid | undefined;

    withPhone(phone: string): this {
      this.phone = phone;
      return this;
    }

    withId(id: Wid): this {
      this.id = id;
      return this;
    }
  }
  /** A query for several people. */
  class USyncQuery {
    readonly protocols: string[] = [];
    readonly users: USyncUser[] = [];
    isByLid = false;

    /** Answers by number unless configured otherwise; then the hidden id is included only on request. */
    withContactProtocol(addressingMode?: string): this {
      this.protocols.push('contact');
      this.isByLid = addressingMode === 'lid' && switches.lookUps === 'lid';
      return this;
    }

    withLidProtocol(): this {
      this.protocols.push('lid');
      return this;
    }

    withBusinessProtocol(): this {
      this.protocols.push('business');
      return this;
    }

    withDisappearingModeProtocol(): this {
      this.protocols.push('disappearing_mode');
      return this;
    }

    withUser(user: USyncUser): this {
      this.users.push(user);
      return this;
    }

    #idsOf(pn: string, lid: string): object {
      if (this.isByLid) return { id: createWid(lid), pn: createWid(pn) };
      return { id: createWid(pn), ...(this.protocols.includes('lid') ? { lid } : {}) };
    }

    /** A refusal is part of the answer. */
    async execute(): Promise<object> {
      if (this.protocols.length === 0) throw new Error('a usync query must have at least one protocol');
      try {
        const [phones, lids] = [
          this.users.flatMap(({ phone }) => phone ?? []),
          this.users.flatMap(({ id }) => id ?? []),
        ];
        const found = await connection.request('exists-many', { phones, lids: lids.map(String) });
        const byPhone = found.phones.map(({ phone, pn, lid }) => ({
          contact: { type: pn ? 'in' : 'out', content: phone },
          ...(pn && lid ? this.#idsOf(pn, lid) : {}),
        }));
        const byLid = found.lids.map(({ lid, pn }) => ({ id: createWid(lid), ...(pn ? { pn: createWid(pn) } : {}) }));
        return { error: {}, refresh: {}, list: [...byPhone, ...byLid] };
      } catch (error) {
        if (!(error instanceof ServerStatusCodeError)) throw error;
        return { error: { all: { errorCode: error.status, errorText: error.message } }, refresh: {}, list: [] };
      }
    }
  }

  const setBlocked = async (contact: Contact, isBlocked: boolean) => {
    if ((contact.get('isContactBlocked') ?? false) === isBlocked) return;
    const id = contact.get('id');
    const lid = id?.isLid() ? id : chats.get(id)?.get('accountLid');
    // The real page also throws a text.
    if (!lid) throw '[blocklist] trying to block a pn contact without a chat';
    await connection.request('block', { id: String(lid), isBlocked });
  };
  const findCommonGroups = async (contact: Contact) => {
    if (contact.get('isMe')) return null;
    const id = contact.get('id');
    const ids = id ? [id, id.isLid() ? users.numberOf(id) : users.lidOf(id)] : [];
    const shared = new Collection<Chat>(Chat as never);
    // From the page's database: their models may have no members.
    for (const chat of chats.getModelsArray()) {
      const members = storedGroup(String(chat.get('id')))?.participants ?? [];
      if (members.some((member) => ids.some((one) => String(one) === member.id))) shared.add(chat);
    }
    return shared;
  };
  return {
    WAWebContactProfilePicThumbBridge: {
      requestProfilePicFromServer:
        switches.pictureRefusals === 'returned'
          ? (chat: { readonly id: Wid }) => requestPictureOrWhyNot(connection, chat)
          : // Accepts a chat, as the library passes it, or an id.
            (chat: Wid | { id: Wid }) => requestPicture(connection, createWid('id' in chat ? chat.id : chat)),
      sendSetPicture: (id: Wid, _preview: string, picture: string) => setPicture(connection, id, picture),
      requestDeletePicture: (id: Wid) => removePicture(connection, id),
    },
    // A default export.
    WAWebSendProfilePictureJob: (id: Wid, jpeg: Uint8Array) => sendPicture(connection, id, jpeg),
    WAWebUsync: { USyncQuery, USYNC_ADDRESSING_MODE: { PN: 'pn', LID: 'lid' } },
    WAWebUsyncUser: { USyncUser },
    WAWebUsernameGatingUtils: switches.lookUps === 'pn' ? { usernameContactUsyncLidBased: () => false } : {},
    WAWebDBCreateLidPnMappings: {
      createLidPnMappings: async ({ mappings }: { readonly mappings: readonly { lid: Wid; pn: Wid }[] }) => {
        for (const { lid, pn } of mappings) users.addNumber(String(lid), String(pn));
      },
    },
    WAWebBlockContactAction: {
      blockContact: ({ contact }: { readonly contact: Contact }) => setBlocked(contact, true),
      unblockContact: (contact: Contact, _entryPoint: string) => setBlocked(contact, false),
    },
    WAWebFindCommonGroupsContactAction: { findCommonGroups },
  };
}

/**
 * The address of the picture of a person or a group. Rejects with the network's status: 401 private, 404 none, others.
 */
async function requestPicture(connection: Connection, id: Wid) {
  if (id.isStatus()) throw new ServerStatusCodeError(401, 'no picture');
  if (isOtherIdentity(id)) return new Promise<never>(() => undefined);
  const picture = await connection.request('picture', { id: String(id) });
  if ('code' in picture) throw new ServerStatusCodeError(picture.code, 'no picture');
  const paths = { previewEurl: picture.url, previewDirectPath: '/v/preview', fullDirectPath: '/v/full' };
  return { eurl: picture.url, tag: String(id), ...paths };
}

/** The same without rejecting: a refusal shows in which fields are present. */
async function requestPictureOrWhyNot(connection: Connection, { id }: { readonly id: Wid }): Promise<object> {
  // Without an id this is a TypeError.
  id.isNewsletter();
  const settled = { timestamp: Date.now(), eurlStale: false, stale: false };
  try {
    return { ...(await requestPicture(connection, id)), id, ...settled };
  } catch (error) {
    if (!(error instanceof ServerStatusCodeError)) throw error;
    if (error.status === 401 || error.status === 404) return { id, tag: '', ...settled };
    if (error.status === 423 || error.status === 429) return { id, stale: true };
    return { id, eurlStale: false };
  }
}

/** Sets the picture of a group, or for any other id that of the account. */
async function sendPicture(connection: Connection, id: Wid, jpeg: Uint8Array): Promise<object> {
  await connection.request('set-picture', { id: String(id), data: encodeB64(jpeg) });
  return { id: 1 };
}

/** Sets a picture from a data URL, then requests it: if that fails, this rejects although the picture is set. */
async function setPicture(connection: Connection, id: Wid, picture: string): Promise<object> {
  await connection.request('set-picture', { id: String(id), data: picture.slice(picture.indexOf(',') + 1) });
  // By the own number, by which newer builds request no picture.
  if (isOtherIdentity(id)) return { status: 200 };
  const { eurl, tag, fullDirectPath } = await requestPicture(connection, id);
  return { eurl, tag, fullDirectPath, status: 200 };
}

async function removePicture(connection: Connection, id: Wid): Promise<object> {
  await connection.request('set-picture', { id: String(id), data: null });
  return { status: 200 };
}

/** Whether the network does not answer for this id, since it has the person's picture by the other identity. */
function isOtherIdentity(id: Wid): boolean {
  return switches.pictureIdentity === 'lid' && id.isUser() && !id.isLid();
}
