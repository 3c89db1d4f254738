import { Contact, contacts } from '../models/contact.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireSaved } from '../wire.ts';

interface NewContact {
  readonly firstName: string;
  readonly lastName: string;
  /** Digits. */
  readonly phoneNumber?: string;
  readonly syncToAddressbook?: boolean;
  readonly lid?: Wid;
  readonly username?: string;
}

/** After the answer of the network, another thread of the real page passes the change to the models. */
const MODELS_MS = 50;

/** Saves and deletes contacts of the account, as far as its phone allows. */
export function addressBookModules({ connection, users }: Page): Modules {
  const set = async (id: Wid, saved: WireSaved | null) => {
    const user = await connection.request('set-contact', { id: String(id), saved });
    connection.later(MODELS_MS, () => {
      if (user) users.update(user);
      // In every build, both contacts get the name; those by number may lose it with the page.
      for (const one of [id, id.isLid() ? users.numberOf(id) : users.lidOf(id)]) if (one) show(one, saved);
    });
  };
  connection.handle('contact-changes', ({ contactChanges }) => users.changeSelf({ contactChanges }));
  const isAllowed = (...changes: unknown[]) => changes.includes(users.self?.contactChanges);
  return {
    WAWebPrimaryFeaturesModel: {
      PrimaryFeatures: {
        get features() {
          return users.self && ['contact_management'];
        },
        get isContactsBackupOn() {
          return isAllowed('phone', 'app');
        },
        get primaryHasAgreedToNativeContactsNux() {
          return isAllowed('phone', 'app');
        },
        get primaryHasAddressbookPermission() {
          return isAllowed('phone');
        },
      },
    },
    WAWebSaveContactAction: {
      saveContactAction: async (what: NewContact) => {
        const { firstName, lastName, phoneNumber, syncToAddressbook, lid, username } = what;
        const isByUsername = phoneNumber === undefined;
        const id = isByUsername ? username && lid : createWid(`${phoneNumber}@c.us`);
        // The real page only writes that into its log.
        if (!id) return;
        const name = [firstName, lastName].filter(Boolean).join(' ');
        const isOnPhone = !isByUsername && syncToAddressbook === true;
        await set(id, { name, shortName: firstName || lastName, isOnPhone, isByUsername });
      },
    },
    WAWebDeleteContactAction: {
      deleteContactAction: async (what: {
        readonly phoneNumber?: Wid;
        readonly lid?: Wid;
        readonly username?: string;
      }) => {
        const id = what.phoneNumber ?? what.lid;
        if (!id || contacts.get(id)?.get('name') === undefined) return;
        // Without a user name, such a contact is deleted in this page only.
        if (what.lid && !what.username) show(id, null);
        else await set(id, null);
      },
    },
    WAWebContactEditSync: { sendContactDelete: (number: Wid) => set(number, null) },
  };
}

function show(id: Wid, saved: WireSaved | null): void {
  const contact = contacts.get(id) ?? contacts.add(new Contact({ id, isMe: false }));
  contact.set({
    name: saved?.name,
    shortName: saved?.shortName,
    type: saved ? 'in' : 'out',
    syncToAddressbook: saved?.isOnPhone ?? false,
    isUsernameContact: saved?.isByUsername ?? false,
  });
}
