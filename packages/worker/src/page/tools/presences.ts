import type { PageActivity, PageChange, PageChat, PageId, PageWindow } from '../window.ts';
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
  /** A change; undefined unless the chat is watched. `isTold`: the network has told it; else the page forgets what was told. */
  activityChange(shown: PageActivity): { readonly found: FoundChange; isTold(): boolean } | undefined;
}

/** Installs the tools for presence. Needs the tools for ids. */
export function installPresenceTools(): void {
  const { optional, phoneOr, lidOf, idsOf } = window.chatWebTools;
  const most = 200;
  const secondMs = 1_000;
  /** Many requests at once would look like those of a machine. */
  const betweenMs = 500;
  /** The last call of `watchAgain`. */
  let again = 0;
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
      again += 1;
      const call = again;
      for (const chat of new Set(watched.values())) {
        if (!lost && modelsOf(chat).some(({ hasData }) => hasData)) continue;
        await new Promise((resolve) => setTimeout(resolve, betweenMs));
        if (call !== again) return;
        // One that fails, or hangs, does not keep the others from being asked for.
        void Promise.resolve()
          .then(() => tools.presenceRequest(chat)?.())
          .catch(() => {});
      }
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
    activityChange: (shown) => {
      const { PresenceCollection: presences } = optional('WAWebPresenceCollection') ?? {};
      const owner = presences?.getModelsArray().find(({ chatstate }) => chatstate === shown);
      const chat = owner && watched.get(String(owner.id));
      if (!chat) return undefined;
      const isGroup = String(chat.id).endsWith('@g.us');
      // In a group, nobody once nothing is done there any more.
      const who = isGroup ? shown.id || undefined : chat.id;
      const told = tools.activity(shown);
      const read = (): PageChange => ({
        name: 'presence',
        data: { chatId: phoneOr(chat.id), from: phoneOr(who), ...told },
      });
      const found = { at: Date.now(), people: [chat.id, who], read };
      return { found, isTold: () => owner.hasData === true };
    },
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };
}
