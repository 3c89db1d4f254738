import { Collection } from '../collection.ts';
import { Chat, chats } from '../models/chat.ts';
import type { Contact } from '../models/contact.ts';
import { storedGroup } from '../models/group.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { ServerStatusCodeError } from '../server-status-code-error.ts';
import { switches } from '../switches.ts';
import { createWid, type Wid } from '../wid.ts';

/** Details of people, and the people whom the account has blocked. */
export function contactDetailModules({ connection, users }: Page): Modules {
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
  const sharedWith = async (contact: Contact) => {
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
    WAWebUsync: { USyncQuery, USYNC_ADDRESSING_MODE: { PN: 'pn', LID: 'lid' } },
    WAWebUsyncUser: { USyncUser },
    WAWebUsernameGatingUtils: switches.lookUps === 'pn' ? { usernameContactUsyncLidBased: () => false } : {},
    WAWebDBCreateLidPnMappings: {
      createLidPnMappings: async ({ mappings }: { readonly mappings: readonly { lid: Wid; pn: Wid }[] }) => {
        for (const { lid, pn } of mappings) users.learnNumber(String(lid), String(pn));
      },
    },
    WAWebBlockContactAction: {
      blockContact: ({ contact }: { readonly contact: Contact }) => setBlocked(contact, true),
      unblockContact: (contact: Contact, _entryPoint: string) => setBlocked(contact, false),
    },
    WAWebFindCommonGroupsContactAction: { findCommonGroups: sharedWith },
  };
}
