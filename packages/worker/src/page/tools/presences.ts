import type { PageActivity, PageChange, PageChat, PageId, PagePresence, PageWindow } from '../window.ts';
import type { FoundChange } from './changes.ts';

declare const window: PageWindow;

/** Knows of which chats it was asked what people do there, and describes that. */
export interface PresenceTools {
  /** The ids by which the network may tell of a chat. */
  presenceIds(chat: PageChat): string[];
  /** Asks the network to tell of a chat; undefined if this build cannot do so for a chat of its kind. */
  presenceRequest(chat: PageChat): (() => unknown) | undefined;
  /**
   * Asks again for the watched chats, one by one: the page forgets what it was told when it is offline, or shows the
   * account so. With `lost` for all of them, else for those of which the page knows nothing.
   */
  watchAgain(lost: boolean): Promise<void>;
  /** From now on, changes in this chat are told. False: there are too many such chats. */
  watchPresence(chat: PageChat): boolean;
  /** What somebody does, for the API. */
  activity(shown: PageActivity): { readonly state: string; readonly lastSeen: number | undefined };
  /**
   * What is done in a chat, by its model or what that shows; undefined unless the chat is watched, the network has told it,
   * and it is not what was told last. A page that is offline forgets what it was told: that is no change.
   */
  activityChange(what: PagePresence | PageActivity): FoundChange | undefined;
}

/** Installs the tools for presence. Needs the tools for ids. */
export function installPresenceTools(): void {
  const { optional, phoneOr, lidOf, idsOf } = window.chatWebTools;
  const most = 200;
  const secondMs = 1_000;
  /** Many requests at once would look like those of a machine. */
  const betweenMs = 500;
  /** Those that are to be asked for again. */
  const forgotten = new Set<PageChat>();
  let isAsking = false;
  /** What was told last, by chat. */
  const told = new Map<PageChat, string>();
  const modelsOf = (chat: PageChat) => {
    const { PresenceCollection: presences } = optional('WAWebPresenceCollection') ?? {};
    const ids = tools.presenceIds(chat);
    return (presences?.getModelsArray() ?? []).filter(({ id }) => ids.includes(String(id)));
  };
  /** By all ids of each. */
  const watched = new Map<string, PageChat>();
  const names: Readonly<Record<string, string>> = { recording_audio: 'recording' };

  const tools: PresenceTools = {
    presenceIds: ({ id, accountLid }) => [...new Set([id, accountLid].flatMap((one) => (one ? idsOf(one) : [])))],
    presenceRequest: (chat) => {
      const bridge = optional('WAWebContactPresenceBridge') ?? {};
      const isGroup = String(chat.id).endsWith('@g.us');
      const subscribe = isGroup ? bridge.subscribeGroupPresence : bridge.subscribeUserPresence;
      const older = bridge.subscribePresence;
      if (!subscribe && !older) return undefined;
      // A person is asked for by hidden id.
      const lid = chat.accountLid ?? (isGroup ? undefined : lidOf(chat.id));
      const whom = lid ? (window.require('WAWebWidFactory').createWid(String(lid)) as PageId) : chat.id;
      return () => (subscribe ? subscribe(whom) : older?.(whom, chat.tcToken));
    },
    watchAgain: async (lost) => {
      for (const chat of new Set(watched.values()))
        if (lost || !modelsOf(chat).some(({ hasData }) => hasData)) forgotten.add(chat);
      if (isAsking) return;
      isAsking = true;
      for (const chat of forgotten) {
        await new Promise((resolve) => setTimeout(resolve, betweenMs));
        forgotten.delete(chat);
        // One that fails, or hangs, does not keep the others from being asked for.
        void Promise.resolve()
          .then(() => tools.presenceRequest(chat)?.())
          .catch(() => {});
      }
      isAsking = false;
    },
    watchPresence: (chat) => {
      const ids = tools.presenceIds(chat);
      if (!ids.some((id) => watched.has(id)) && new Set(watched.values()).size >= most) return false;
      // Those that the page has learnt since are new.
      for (const id of ids) watched.set(id, chat);
      return true;
    },
    activity: ({ type = 'unavailable', t }) => ({
      state: names[type] ?? type,
      lastSeen: type === 'unavailable' && typeof t === 'number' && t > 0 ? t * secondMs : undefined,
    }),
    activityChange: (what) => {
      const { PresenceCollection: presences } = optional('WAWebPresenceCollection') ?? {};
      const owner = presences?.getModelsArray().find((one) => one === what || one.chatstate === what);
      const chat = owner && watched.get(String(owner.id));
      const shown = owner?.chatstate;
      if (!chat || !shown || owner.hasData !== true) return undefined;
      const isGroup = String(chat.id).endsWith('@g.us');
      // In a group, nobody once nothing is done there any more.
      const who = isGroup ? shown.id || undefined : chat.id;
      const done = tools.activity(shown);
      const now = `${done.state} ${who}`;
      if (told.get(chat) === now) return undefined;
      told.set(chat, now);
      const read = (): PageChange => ({
        name: 'presence',
        data: { chatId: phoneOr(chat.id), from: phoneOr(who), ...done },
      });
      return { at: Date.now(), people: [chat.id, who], read };
    },
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };
}
