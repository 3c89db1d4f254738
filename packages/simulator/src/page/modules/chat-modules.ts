import { ActionError, ServerStatusCodeError } from '../errors.ts';
import { readReactions } from '../models/add-ons.ts';
import { type Chat, chats, Mute, openChat } from '../models/chat.ts';
import { conn, stream } from '../models/conn.ts';
import { type LabelAction, labelsAfter } from '../models/labels.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import type { Users } from '../users.ts';
import type { Wid } from '../wid.ts';
import type { ChatStateName, WireMarks } from '../wire.ts';

const MESSAGES_PER_PAGE = 20;
const MAX_PINNED = 3;
/** How long a change takes to reach the models. */
const SETTLE_MS = 20;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const idOf = (chat: Chat) => String(chat.get('id'));

interface Seen {
  readonly chat: Chat;
  readonly afterAvailable?: boolean;
}

export function chatModules({ appState, connection, mailbox, users }: Page): Modules {
  const mark = (chat: Chat, marks: Partial<WireMarks>) => appState.push('mark-chat', { chat: idOf(chat), marks });
  Mute.push = (id, mutedUntil) => appState.push('mark-chat', { chat: String(id), marks: { mutedUntil } });
  const sendSeen = async ({ chat, afterAvailable = true }: Seen): Promise<void> => {
    const unread = chat.get('unreadCount') ?? 0;
    const more = unread - chat.pendingSeenCount;
    if (unread === 0) return;
    if (afterAvailable && !stream.get('available')) {
      stream.once('change:available', () => void sendSeen({ chat }));
      return;
    }
    if (more <= 0 && unread !== -1) return;
    chat.pendingSeenCount = unread;
    try {
      await connection.request('seen', { chat: idOf(chat) });
      chat.set({ unreadCount: 0 });
      chat.pendingSeenCount = 0;
      const id = chat.get('id');
      if (id) readReactions(id);
    } catch (error) {
      // Only a refusal by the network resets the count. It goes to the log of the page.
      if (!(error instanceof ServerStatusCodeError)) throw error;
      chat.pendingSeenCount -= more;
    }
  };
  const archiving = new Map<Chat, Promise<void>>();
  const archive = async (chat: Chat, isArchived: boolean) => {
    await pause(SETTLE_MS);
    mark(chat, isArchived ? { isArchived, pinnedAtMs: 0 } : { isArchived });
    chat.set(isArchived ? { archive: true, pin: undefined } : { archive: false });
  };
  const removeChat = (chat: Chat) => {
    setTimeout(() => mailbox.clear(idOf(chat), true), SETTLE_MS);
    void appState.push('clear-chat', { chat: idOf(chat), isDeleted: true });
  };
  const show = (state: ChatStateName) => async (to: Wid) =>
    connection.send({ type: 'chat-state', to: to.toJid(), state });
  return {
    WAWebFindChatAction: {
      findOrCreateLatestChat: async (id: Wid) => {
        const created = chats.get(id) === undefined;
        return { chat: await findOrCreateChat(users, id), created };
      },
    },
    WAWebChatGetters: {
      getIsNewsletter: (chat: Chat) => chat.get('id')?.isNewsletter() ?? false,
      getIsBroadcast: (chat: Chat) => chat.get('id')?.isBroadcast() ?? false,
      getIsGroup: (chat: Chat) => chat.get('id')?.isGroup() ?? false,
    },
    WAWebChatLoadMessages: {
      loadEarlierMsgs: ({ chat }: { chat: Chat }) => mailbox.loadEarlier(chat, MESSAGES_PER_PAGE),
    },
    WAWebUpdateUnreadChatAction: {
      sendSeen,
      markUnread: async (chat: Chat) => {
        if (chat.get('unreadCount') === 0) chat.set({ unreadCount: -1 });
        mark(chat, { isUnread: true });
      },
    },
    WAWebSetArchiveChatAction: {
      // Returns the promise of a change in progress, even if that one does the opposite.
      setArchive: (chat: Chat, isArchived: boolean) => {
        if (chat.get('archive') === isArchived) return Promise.reject(new ActionError());
        const running = archiving.get(chat) ?? archive(chat, isArchived).finally(() => archiving.delete(chat));
        archiving.set(chat, running);
        return running;
      },
    },
    WAWebSetPinChatAction: {
      // Does not check the limit.
      setPin: async (chat: Chat, isPinned: boolean) => {
        const pinnedAtMs = isPinned ? Date.now() : 0;
        mark(chat, { pinnedAtMs });
        chat.set({ pin: pinnedAtMs });
      },
    },
    WAWebChatPinBridge: {
      getNumConversationsPinned: async () => chats.filter((chat) => Boolean(chat.get('pin'))).length,
      getPinLimit: () => MAX_PINNED,
    },
    WAWebChatClearBridge: {
      // It is not known here which messages are starred.
      sendClear: async (chat: Chat) => {
        const result = (chat.get('msgs')?.getModelsArray() ?? []).map((msg) => String(msg.get('id')));
        mailbox.erase(result);
        appState.push('clear-chat', { chat: idOf(chat), isDeleted: false });
        return { result };
      },
    },
    WAWebClearChatUtils: {
      // The models are removed here only. A refusal of the network is not reported.
      finalizeClearChat: async (_chat: Chat, clearing: Promise<{ readonly result: readonly string[] }>) => {
        try {
          for (const key of (await clearing).result) mailbox.forget(key);
        } catch (error) {
          if (!(error instanceof ServerStatusCodeError)) throw error;
        }
      },
    },
    WAWebDeleteChatAction: {
      sendDelete: async (chat: Chat) => {
        removeChat(chat);
      },
      sendDeleteWithStatus: async (chat: Chat) => {
        removeChat(chat);
        return true;
      },
    },
    WAWebChatStateBridge: {
      sendChatStateComposing: show('typing'),
      sendChatStateRecording: show('recording'),
      sendChatStatePaused: show('paused'),
    },
    WAWebEditLabelAssociationBridge: {
      // The models do not show the change: the caller updates them.
      editLabelAssociation: async (actions: readonly LabelAction[], chosen: readonly Chat[]) => {
        if (!conn.get('platform')?.startsWith('smb')) throw new Error('editLabelAssociation is not supported');
        for (const chat of chosen) {
          appState.push('mark-chat', { chat: String(chat.get('id')), marks: { labels: labelsAfter(chat, actions) } });
        }
      },
    },
  };
}

/**
 * The chat with that person, opened if necessary; its id may be the person's other one. Throws for a person who is not
 * registered. Also opens the status feed as a chat, and an unknown group if the build creates chats for those.
 */
export async function findOrCreateChat(users: Users, id: Wid): Promise<Chat | undefined> {
  if (id.isStatus()) return openChat(String(id), 'Status');
  if (!id.isUser()) return chats.get(id) ?? openUnknown(id);
  const user = await users.resolve(id);
  if (!user) throw new Error(`No LID for user ${id}`);
  return openChat(user.chat, users.titleOf(user.chat), user);
}

function openUnknown(id: Wid): Chat | undefined {
  return id.isGroup() && switches.unknownGroups === 'created' ? openChat(String(id), '') : undefined;
}
