import type { LabelAction } from '../contract/labels.ts';
import type { PageChat, PageLabel, PageWindow } from '../window.ts';

declare const window: PageWindow & { addEventListener(event: 'pagehide', listener: () => void): void };

/** Finds chats, makes models of them, and shows what the account does in them. */
export interface ChatTools {
  /** The chat with a person or group, by number or hidden id; undefined unless the page has it in memory. */
  findChat(id: string): PageChat | undefined;
  /** False unless it is a business account: only those have labels. */
  hasLabels(): boolean;
  /** The labels of the account, without the lists that the network keeps among them, such as that of unread chats. */
  ownLabels(): PageLabel[];
  /** What takes a label from a chat: also what the network has recognised by itself, which would give it back. */
  labelRemovals(id: string): LabelAction[];
  /** A chat as it leaves the page. */
  chatModel(chat: PageChat): Record<string, unknown>;
  /** Whether the phone has older messages of it than the page; undefined if that is unknown. */
  isOlderOnPhone(chat: PageChat): boolean | undefined;
  /** Shows a state in a chat until the time is over or the page goes; `paused` ends it. */
  showState(chat: PageChat, state: 'typing' | 'recording' | 'paused', forMs: number): Promise<void>;
  /** Does something with a chat after all that was begun with it before. */
  oneByOne<T>(chat: PageChat, work: () => Promise<T>): Promise<T>;
  /** Waits until something holds in the page's models; false if it does not in time. */
  holds(is: () => boolean, timeoutMs: number): Promise<boolean>;
}

/** Installs the tools for chats. Needs the tools for ids and messages. */
export function installChatTools(): void {
  const { optional, phoneOr, isChat, knownChat, textOf } = window.chatWebTools;

  /** Where others see that the account types; by it, what ends that. */
  const shown = new Map<string, () => void>();
  // Whoever sees it forgets it after some 25 s.
  const repeatMs = 10_000;
  const showState: ChatTools['showState'] = async (chat, state, forMs) => {
    const bridge = window.require('WAWebChatStateBridge');
    // The network takes the hidden id alone where there is one.
    const to = chat.accountLid ?? chat.id;
    const key = String(to);
    const pause = async () => bridge.sendChatStatePaused(to);
    if (state === 'paused') {
      shown.get(key)?.();
      await pause();
      return;
    }
    const send = async () =>
      state === 'typing' ? bridge.sendChatStateComposing(to) : bridge.sendChatStateRecording(to);
    await send();
    shown.get(key)?.();
    const repeat = setInterval(() => send().catch(() => {}), repeatMs);
    const stop = () => {
      clearInterval(repeat);
      clearTimeout(timer);
      shown.delete(key);
    };
    const timer = setTimeout(() => {
      stop();
      pause().catch(() => {});
    }, forMs);
    shown.set(key, stop);
  };
  window.addEventListener('pagehide', () => {
    const { createWid } = window.require('WAWebWidFactory');
    for (const [key, stop] of shown) {
      stop();
      void window.require('WAWebChatStateBridge').sendChatStatePaused(createWid(key));
    }
  });

  const turns = new Map<PageChat, Promise<unknown>>();
  // Longer than a caller waits for its own.
  const turnMs = 30_000;
  const oneByOne: ChatTools['oneByOne'] = (chat, work) => {
    const isLate = new Promise((resolve) => setTimeout(resolve, turnMs));
    const before = Promise.race([turns.get(chat), isLate]);
    const done = before.then(work, work);
    turns.set(chat, done);
    const forget = () => {
      if (turns.get(chat) === done) turns.delete(chat);
    };
    done.then(forget, forget);
    return done;
  };

  const pollMs = 50;
  const tools: ChatTools = {
    ...{ showState, oneByOne },
    findChat: (id) => {
      const { Chat } = window.require('WAWebCollections');
      const number = phoneOr(window.require('WAWebWidFactory').createWid(id));
      const chat = knownChat(id) ?? (number === id ? undefined : Chat.get(number));
      return chat && isChat(chat) ? chat : undefined;
    },
    hasLabels: () => /^smb/.test(window.require('WAWebConnModel').Conn.platform ?? ''),
    ownLabels: () => {
      const { ListType: types } = optional('WAWebSchemaLabel') ?? {};
      const own = new Set([0, types?.PREDEFINED ?? 4, types?.CUSTOM ?? 5, types?.LEAD]);
      const all = window.require('WAWebCollections').Label?.getModelsArray() ?? [];
      return all.filter(({ type, isActive }) => isActive !== false && own.has(type ?? 0));
    },
    labelRemovals: (id) => {
      const recognised = optional('WAWebBizLabelUtils')?.mapManualLabelIdToDetectedOutcomeLabelId?.(id);
      const listType = optional('WAWebSchemaLabel')?.ListType?.SERVER_ASSIGNED ?? 7;
      const also = recognised == null ? [] : [{ id: recognised, type: 'remove', listType } as const];
      return [...also, { id, type: 'remove' }];
    },
    chatModel: (chat) => {
      const last = chat.lastReceivedKey && window.require('WAWebCollections').Msg.get(String(chat.lastReceivedKey));
      return {
        id: phoneOr(chat.id),
        name: chat.formattedTitle ?? chat.name,
        unreadCount: chat.unreadCount,
        lastActivity: chat.t,
        archived: 'archive' in chat ? chat.archive === true : undefined,
        pinned: 'pin' in chat ? Boolean(chat.pin) : undefined,
        muteExpiration: chat.mute && (chat.mute.expiration ?? 0),
        lastMessage: last && {
          body: textOf(last),
          timestamp: last.t,
          fromMe: last.id.fromMe,
        },
      };
    },
    isOlderOnPhone: ({ endOfHistoryTransferType: left }) =>
      left === 0 || left === 3 || left === 4 || left === 5 ? true : left === 1 ? false : undefined,
    holds: async (is, timeoutMs) => {
      const deadline = Date.now() + timeoutMs;
      while (!is() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, pollMs));
      return is();
    },
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };
}
