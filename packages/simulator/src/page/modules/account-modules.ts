import { conn } from '../models/conn.ts';
import type { Msg } from '../models/message.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { ServerStatusCodeError } from '../server-status-code-error.ts';
import { followUser } from '../user-activity.ts';
import type { Wid } from '../wid.ts';
import type { WirePresence, WirePrivacy } from '../wire.ts';

/** Settings by the names of the network, and by those of the page's memory. */
const settingNames: Readonly<Record<keyof WirePrivacy, string>> = {
  last: 'lastSeen',
  online: 'online',
  profile: 'profilePicture',
  status: 'about',
  readreceipts: 'readReceipts',
  groupadd: 'groupAdd',
  calladd: 'callAdd',
};

/** The settings and the presence of the account. */
export function accountModules({ connection, users }: Page): Modules {
  // Nothing is sent without a name, and no answer is awaited.
  const sendPresence = (presence: WirePresence) => {
    if (conn.get('pushname')) void connection.request('presence', { presence });
  };
  followUser((available) => sendPresence(available ? 'available' : 'unavailable'));
  const setPrivacyForOneCategory = async ({ name, value }: { name: keyof WirePrivacy; value: string }) => {
    await connection.request('set-privacy', { name, value });
    users.changeSelf({ privacy: { ...users.self?.privacy, [name]: value } as WirePrivacy });
  };
  return {
    WAWebSetPushnameConnAction: {
      // A change of the app state: done once the page has it. The network gets it later.
      setPushname: async (name: string) => {
        void connection.request('set-name', { name });
        conn.set({ pushname: name });
      },
    },
    WAWebContactStatusBridge: {
      getStatus: async ({ wid }: { readonly wid: Wid }) => {
        try {
          const { about, isHidden } = await connection.request('about', { id: String(wid) });
          return { id: wid, status: isHidden ? '' : about || null };
        } catch (error) {
          // A refusal for this person is returned instead of the text.
          const isOfPerson = error instanceof ServerStatusCodeError && [401, 403].includes(error.status);
          if (isOfPerson) return { id: wid, status: { errorCode: error.status, errorText: error.message } };
          return { id: wid, stale: true, status: wid.isLid() ? '' : null };
        }
      },
      // A refusal is returned as an answer.
      setMyStatus: async (about: string) => {
        try {
          await connection.request('set-about', { about });
          return { status: 200 };
        } catch (error) {
          if (error instanceof ServerStatusCodeError) return { status: error.status };
          throw error;
        }
      },
      // Sends a receipt to the author only if requested; returns false on failure.
      sendReadStatus: async (msg: Msg, _seconds: number, options?: { readonly sendReceipt?: boolean }) => {
        try {
          if (options?.sendReceipt) await connection.request('see-status', { id: msg.get('id')?.id ?? '' });
        } catch {
          return false;
        }
        msg.set({ ack: 3 });
        return true;
      },
    },
    WAWebPresenceChatAction: {
      sendPresenceAvailable: () => sendPresence('available'),
      sendPresenceUnavailable: () => sendPresence('unavailable'),
    },
    WAWebUserPrefsGeneral: {
      getPushname: () => conn.get('pushname') ?? null,
      getUserPrivacySettings: () =>
        Object.fromEntries(
          Object.entries(users.self?.privacy ?? {}).map(([name, value]) => [
            settingNames[name as keyof WirePrivacy],
            value,
          ]),
        ),
    },
    WAWebSetPrivacyForOneCategoryAction: { setPrivacyForOneCategory },
  };
}
