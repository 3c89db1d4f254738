import { inviteActions } from '../invitations.ts';
import {
  canAdminRevokeMsg,
  canEditCaption,
  canEditText,
  canSenderRevokeMsg,
  canStarMsg,
} from '../message-capability.ts';
import { type Chat, chats } from '../models/chat.ts';
import { cmd } from '../models/cmd.ts';
import type { Msg } from '../models/message.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';

interface Selection {
  readonly list: readonly Msg[];
}

const idsOf = (msgs: readonly Msg[]) => msgs.map((msg) => msg.get('id')?.id ?? '');

/** What the user can command: deletion, and the marks of messages and chats, which stay on this page. */
export function commandModules(page: Page): Modules {
  const { connection, link, mailbox } = page;
  const hide = async (msgs: readonly Msg[]) => {
    for (const msg of msgs) mailbox.forget(String(msg.get('id')));
    await connection.request('hide', { ids: idsOf(msgs) });
  };
  const clear = async (chat: Chat) => hide(chat.get('msgs')?.getModelsArray() ?? []);
  const star = (isStarred: boolean) => async (_chat: Chat, msgs: readonly Msg[]) => {
    for (const msg of msgs) msg.set({ star: isStarred });
  };
  const revokeMsgs = (list: readonly Msg[]) =>
    Promise.all(
      idsOf(list).map(async (id) => {
        const done = await connection.request('revoke', { id }).then(
          () => true,
          () => false,
        );
        return { messageSendResult: done ? 'OK' : 'ERROR_UNKNOWN' };
      }),
    );
  const deleteMsgs = async (list: readonly Msg[]) => {
    await hide(list);
    return list.length;
  };
  const commands = {
    refreshQR: () => link.refreshQr(),
    // These two only have it done: they return at once, and nobody hears of a failure.
    sendRevokeMsgs: (_chat: Chat, { list }: Selection): void => {
      void revokeMsgs(list);
    },
    sendDeleteMsgs: (_chat: Chat, { list }: Selection): void => {
      deleteMsgs(list).catch(() => undefined);
    },
    sendStarMsgs: star(true),
    sendUnstarMsgs: star(false),
    archiveChat: async (chat: Chat, archive: boolean) => chat.set({ archive }),
    pinChat: async (chat: Chat, isPinned: boolean) => chat.set({ pin: isPinned ? Math.floor(Date.now() / 1000) : 0 }),
    markChatUnread: async (chat: Chat, isUnread: boolean) => chat.set({ unreadCount: isUnread ? -1 : 0 }),
  };
  return {
    WAWebCmd: { Cmd: Object.assign(cmd, commands) },
    WAWebMsgActionCapability: { canAdminRevokeMsg, canEditCaption, canEditText, canSenderRevokeMsg, canStarMsg },
    // What the commands above have done, with an answer.
    WAWebChatSendMessages: {
      ...inviteActions(page),
      sendRevokeMsgs: (_chat: Chat, { list }: Selection) => revokeMsgs(list),
      sendDeleteMsgs:
        switches.deleteForm === 'object'
          ? ({ record }: { readonly record: Selection }) => deleteMsgs(record.list)
          : (_chat: Chat, { list }: Selection, _clearMedia: boolean) => deleteMsgs(list),
    },
    WAWebChatClearBridge: { sendClear: clear },
    WAWebDeleteChatAction: {
      sendDelete: async (chat: Chat) => {
        await clear(chat);
        chats.remove(chat);
      },
    },
  };
}
