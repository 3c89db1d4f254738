import type { PageActivity, PageChange, PageChat, PageWindow } from '../window.ts';
import type { FoundChange } from './changes.ts';

declare const window: PageWindow;

/** Knows of which chats it was asked what people do there, and describes that. */
export interface PresenceTools {
  /** The ids by which the network may tell of a chat. */
  presenceIds(chat: PageChat): string[];
  /** From now on, changes in this chat are told. False: there are too many such chats. */
  watchPresence(chat: PageChat): boolean;
  /** What somebody does, for the API. */
  activity(shown: PageActivity): { readonly state: string; readonly lastSeen: number | undefined };
  /** A change; undefined unless the chat is watched. */
  activityChange(shown: PageActivity): FoundChange | undefined;
}

/** Installs the tools for presence. Needs the tools for ids. */
export function installPresenceTools(): void {
  const { optional, phoneOr, idsOf } = window.chatWebTools;
  const most = 200;
  const secondMs = 1_000;
  /** By all ids of each. */
  const watched = new Map<string, PageChat>();
  const names: Readonly<Record<string, string>> = { recording_audio: 'recording' };

  const tools: PresenceTools = {
    presenceIds: ({ id, accountLid }) => [...new Set([id, accountLid].flatMap((one) => (one ? idsOf(one) : [])))],
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
      return { at: Date.now(), people: [chat.id, who], read };
    },
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };
}
