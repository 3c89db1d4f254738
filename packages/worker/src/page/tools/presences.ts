import type { PageActivity, PageChange, PageChat, PageId, PagePresence, PageWindow } from '../window.ts';
import type { FoundChange } from './changes.ts';

declare const window: PageWindow;

/** Knows of which chats it was asked what people do there, and describes that. */
export interface PresenceTools {
  /** The ids by which the network may tell of a chat. */
  presenceIds(chat: PageChat): string[];
  /** The page's models for these ids, made where there is none: without one, the page drops what it is told. */
  presenceRows(chat: PageChat): readonly PagePresence[];
  /** Asks the network to tell of a chat; undefined if this build cannot do so for a chat of its kind. */
  presenceRequest(chat: PageChat): (() => unknown) | undefined;
  /**
   * Asks again for the watched chats, one by one: the page forgets what it was told when it is offline, or shows the
   * account so. For all of them, or for those of which the page knows nothing.
   */
  watchAgain(which: 'all' | 'forgotten'): Promise<void>;
  /** From now on, changes in this chat are told. False: there are too many such chats. */
  watchPresence(chat: PageChat): boolean;
  isWatched(chat: PageChat): boolean;
  /** Changes in this chat are no longer told. */
  unwatchPresence(chat: PageChat): void;
  /** What somebody does, for the API. */
  activity(shown: PageActivity): { readonly state: string; readonly lastSeen: number | undefined };
  /**
   * What is done in a chat, by its model or what that shows; undefined unless the chat is watched, the network has told it,
   * and it is not what was told last. What the page forgets while it is offline is no change, but that ends typing.
   */
  activityChange(what: PagePresence | PageActivity): FoundChange | undefined;
}

/** What is done in a chat, and by whom: nobody in a group once nothing is done there any more. */
interface Activity extends ReturnType<PresenceTools['activity']> {
  readonly who: PageId | undefined;
}

/** Installs the tools for presence. Needs the tools for ids. */
export function installPresenceTools(): void {
  const { optional, phoneOr, lidOf, idsOf } = window.chatWebTools;
  const most = 200;
  const secondMs = 1_000;
  /** Many requests at once would look like those of a machine. */
  const betweenMs = 500;
  /** By all ids of each. */
  const watched = new Map<string, PageChat>();
  /** The chats to ask for again; true: also if the page knows by then what is done there. */
  const forgotten = new Map<PageChat, boolean>();
  let isAsking = false;
  /** What was told last, by chat. */
  const told = new Map<string, Activity>();
  const names: Readonly<Record<string, string>> = { recording_audio: 'recording' };
  const isGroup = ({ id }: PageChat) => String(id).endsWith('@g.us');
  const isSame = (one: Activity | undefined, other: Activity) =>
    one?.state === other.state && one.lastSeen === other.lastSeen && String(one.who) === String(other.who);
  /** What is done once the page has forgotten it: else nobody would hear that somebody has stopped typing. */
  const endOf = (last: Activity | undefined, chat: PageChat): Activity | undefined => {
    if (last?.state !== 'typing' && last?.state !== 'recording') return undefined;
    const [state, who] = isGroup(chat) ? ['unavailable', undefined] : ['available', last.who];
    return { state, who, lastSeen: undefined };
  };
  const isKnown = (chat: PageChat) => {
    try {
      return tools.presenceRows(chat).some(({ hasData }) => hasData);
    } catch {
      return false; // It is asked for all the same.
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
      // A person is asked for by hidden id.
      const lid = chat.accountLid ?? (isGroup(chat) ? undefined : lidOf(chat.id));
      const whom = lid ? (window.require('WAWebWidFactory').createWid(String(lid)) as PageId) : chat.id;
      return () => (subscribe ? subscribe(whom) : older?.(whom, chat.tcToken));
    },
    watchAgain: async (which) => {
      for (const chat of new Set(watched.values())) {
        // The page may have learnt another id of it since.
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
        // Its answer would end what somebody has begun to type meanwhile.
        if (!isOwed && isKnown(chat)) continue;
        // One that fails, or hangs, does not keep the others from being asked for.
        void Promise.resolve()
          .then(() => tools.presenceRequest(chat)?.())
          .catch(() => {});
      }
      isAsking = false;
    },
    watchPresence: (chat) => {
      if (!tools.isWatched(chat) && new Set(watched.values()).size >= most) return false;
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
      const last = told.get(String(chat.id));
      const who = isGroup(chat) ? shown.id || undefined : chat.id;
      const done = owner.hasData === true ? { ...tools.activity(shown), who } : endOf(last, chat);
      if (!done || isSame(last, done)) return undefined;
      told.set(String(chat.id), done);
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
