import type { PageActivity, PageChange, PageChat, PageId, PagePresence, PageWindow } from '../window.ts';
import type { FoundChange } from './changes.ts';

declare const window: PageWindow;

/** Keeps the chats whose presence is watched, and describes changes in them. */
export interface PresenceTools {
  /** The ids that the network may use for a chat. */
  presenceIds(chat: PageChat): string[];
  /** The page's models for these ids, created if missing: without one, the page drops the network's reports. */
  presenceRows(chat: PageChat): readonly PagePresence[];
  /** Returns a function that subscribes to a chat; undefined if this build cannot do so for this kind of chat. */
  presenceRequest(chat: PageChat): (() => unknown) | undefined;
  /**
   * Subscribes to the watched chats again, one by one: the page forgets their presence when it is offline, or shows the
   * account as offline. To all of them, or to those that the page has forgotten.
   */
  watchAgain(which: 'all' | 'forgotten'): Promise<void>;
  /** Starts reporting changes in this chat. False: too many chats are watched. */
  watchPresence(chat: PageChat): boolean;
  isWatched(chat: PageChat): boolean;
  /** Stops reporting changes in this chat. */
  unwatchPresence(chat: PageChat): void;
  /** A person's presence or activity, for the API. */
  activity(shown: PageActivity): { readonly state: string; readonly lastSeen: number | undefined };
  /**
   * The new state in a chat, found by its model or its `chatstate`; undefined unless the chat is watched, the network
   * reported it, and it differs from the last report. If the page forgets the state while offline, only typing and
   * recording end.
   */
  activityChange(what: PagePresence | PageActivity): FoundChange | undefined;
}

/** The activity in a chat, and the person; no person in a group without activity. */
interface Activity extends ReturnType<PresenceTools['activity']> {
  readonly who: PageId | undefined;
}

/** Installs the tools for presence. Needs the tools for ids. */
export function installPresenceTools(): void {
  const { optional, phoneOr, lidOf, idsOf } = window.chatWebTools;
  const max = 200;
  const secondMs = 1_000;
  /** Many requests at once would look automated. */
  const betweenMs = 500;
  /** Each chat under all of its ids. */
  const watched = new Map<string, PageChat>();
  /** Chats to subscribe to again; true: even if the page knows their presence by then. */
  const forgotten = new Map<PageChat, boolean>();
  let isAsking = false;
  /** The last report, by chat. */
  const reported = new Map<string, Activity>();
  const names: Readonly<Record<string, string>> = { recording_audio: 'recording' };
  const isGroup = ({ id }: PageChat) => String(id).endsWith('@g.us');
  const isSame = (one: Activity | undefined, other: Activity) =>
    one?.state === other.state && one.lastSeen === other.lastSeen && String(one.who) === String(other.who);
  /** The state after the page has forgotten it: otherwise no event would report the end of typing. */
  const endOf = (last: Activity | undefined, chat: PageChat): Activity | undefined => {
    if (last?.state !== 'typing' && last?.state !== 'recording') return undefined;
    const [state, who] = isGroup(chat) ? ['unavailable', undefined] : ['available', last.who];
    return { state, who, lastSeen: undefined };
  };
  const isKnown = (chat: PageChat) => {
    try {
      return tools.presenceRows(chat).some(({ hasData }) => hasData);
    } catch {
      return false; // The chat is still subscribed to.
    }
  };

  const tools: PresenceTools = {
    presenceIds: ({ id, accountLid }) => [...new Set([id, accountLid].flatMap((one) => (one ? idsOf(one) : [])))],
    presenceRows: (chat) => {
      const { PresenceCollection: presences } = window.require('WAWebPresenceCollection');
      const { createWid } = window.require('WAWebWidFactory');
      return tools.presenceIds(chat).map((id) => presences.gadd(createWid(id) as PageId));
    },
    presenceRequest: (chat) => {
      const bridge = optional('WAWebContactPresenceBridge') ?? {};
      const subscribe = isGroup(chat) ? bridge.subscribeGroupPresence : bridge.subscribeUserPresence;
      const older = bridge.subscribePresence;
      if (!subscribe && !older) return undefined;
      // People are subscribed to by hidden id.
      const lid = chat.accountLid ?? (isGroup(chat) ? undefined : lidOf(chat.id));
      const whom = lid ? (window.require('WAWebWidFactory').createWid(String(lid)) as PageId) : chat.id;
      return () => (subscribe ? subscribe(whom) : older?.(whom, chat.tcToken));
    },
    watchAgain: async (which) => {
      for (const chat of new Set(watched.values())) {
        // The page may have learnt another id of the chat since.
        tools.watchPresence(chat);
        if (which === 'all') forgotten.set(chat, true);
        else if (!forgotten.has(chat) && !isKnown(chat)) forgotten.set(chat, false);
      }
      if (isAsking) return;
      isAsking = true;
      for (const chat of forgotten.keys()) {
        await new Promise((resolve) => setTimeout(resolve, betweenMs));
        const isOwed = forgotten.get(chat) === true;
        forgotten.delete(chat);
        // The answer would end typing that has started meanwhile.
        if (!isOwed && isKnown(chat)) continue;
        // One that fails or hangs must not block the others.
        void Promise.resolve()
          .then(() => tools.presenceRequest(chat)?.())
          .catch(() => {});
      }
      isAsking = false;
    },
    watchPresence: (chat) => {
      if (!tools.isWatched(chat) && new Set(watched.values()).size >= max) return false;
      for (const id of tools.presenceIds(chat)) watched.set(id, chat);
      return true;
    },
    isWatched: (chat) => tools.presenceIds(chat).some((id) => watched.has(id)),
    unwatchPresence: (chat) => {
      for (const id of tools.presenceIds(chat)) watched.delete(id);
    },
    activity: ({ type = 'unavailable', t }) => ({
      state: names[type] ?? type,
      lastSeen: type === 'unavailable' && typeof t === 'number' && t > 0 ? t * secondMs : undefined,
    }),
    activityChange: (what) => {
      if (watched.size === 0) return undefined;
      const { PresenceCollection: presences } = optional('WAWebPresenceCollection') ?? {};
      const owner = presences?.getModelsArray().find((one) => one === what || one.chatstate === what);
      const chat = owner && watched.get(String(owner.id));
      const shown = owner?.chatstate;
      if (!chat || !shown) return undefined;
      const last = reported.get(String(chat.id));
      const who = isGroup(chat) ? shown.id || undefined : chat.id;
      const done = owner.hasData === true ? { ...tools.activity(shown), who } : endOf(last, chat);
      if (!done || isSame(last, done)) return undefined;
      reported.set(String(chat.id), done);
      const { state, lastSeen } = done;
      const read = (): PageChange => ({
        name: 'presence',
        data: { chatId: phoneOr(chat.id), from: phoneOr(done.who), state, lastSeen },
      });
      return { at: Date.now(), people: [chat.id, done.who], read };
    },
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };
}
