import { ServerStatusCodeError } from '../errors.ts';
import { conn, stream } from '../models/conn.ts';
import type { Msg } from '../models/message.ts';
import { presences } from '../models/presences.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import { createWid, type Wid } from '../wid.ts';
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
  connection.handle('activity', ({ activity }) => {
    const { id, participant } = activity;
    // By the hidden id or the number: the one that the page uses.
    const known = users.known(id);
    const ids = [id, known?.pn, known?.lid].flatMap((each) => (each === undefined ? [] : [createWid(each)]));
    const presence = ids.map((each) => presences.get(each)).find((each) => each !== undefined);
    presence?.update(activity, participant === undefined ? undefined : createWid(participant));
  });
  // There is no answer.
  const subscribe = (id: Wid) => void connection.request('subscribe-presence', { id: String(id) });
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
    WAWebPresenceCollection: { PresenceCollection: presences },
    WAWebContactPresenceBridge: {
      subscribePresence: async (id: Wid, _token?: unknown) => subscribe(id),
      subscribeUserPresence: async (id: Wid) => subscribe(id),
      subscribeGroupPresence: (id: Wid) => subscribe(id),
    },
  };
}

/** What the real page takes as a sign of its user. */
const SIGN_EVENTS = ['mousemove', 'scroll', 'keydown', 'focus', 'resize'] as const;

/** Shows whether the page's user is active, once the page is ready: not in a browser without any input. */
function followUser(show: (available: boolean) => void): void {
  stream.once('change:mode', () => {
    stream.on('change:available', (_: unknown, available: boolean) => show(available));
    if (document.hasFocus() && document.visibilityState !== 'hidden') stream.markAvailable();
    void watchForIdleness();
  });
}

async function watchForIdleness(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, switches.idleMs));
    stream.markUnavailable(switches.awayMs);
    await nextSign();
    if (document.hasFocus()) stream.markAvailable();
  }
}

function nextSign(): Promise<unknown> {
  const listening = new AbortController();
  const signs = SIGN_EVENTS.map((name) => new Promise((resolve) => window.addEventListener(name, resolve, listening)));
  return Promise.race(signs).finally(() => listening.abort());
}
