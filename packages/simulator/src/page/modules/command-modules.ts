import {
  canAdminRevokeMsg,
  canEditCaption,
  canEditText,
  canForward,
  canSenderRevokeMsg,
} from '../message-capability.ts';
import type { Chat } from '../models/chat.ts';
import { cmd } from '../models/cmd.ts';
import type { Msg } from '../models/message.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';

interface Selection {
  readonly list: readonly Msg[];
}

const idsOf = (msgs: readonly Msg[]) => msgs.map((msg) => msg.get('id')?.id ?? '');

/** What the user can command: fresh references for the QR, and deletion. */
export function commandModules(page: Page): Modules {
  const { connection, link, mailbox } = page;
  const hide = async (msgs: readonly Msg[]) => {
    for (const msg of msgs) mailbox.forget(String(msg.get('id')));
    await connection.request('hide', { ids: idsOf(msgs) });
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
    // These two return at once, and do not report a failure.
    sendRevokeMsgs: (_chat: Chat, { list }: Selection): void => {
      void revokeMsgs(list);
    },
    sendDeleteMsgs: (_chat: Chat, { list }: Selection): void => {
      deleteMsgs(list).catch(() => undefined);
    },
  };
  return {
    WAWebCmd: { Cmd: Object.assign(cmd, commands) },
    WAWebMsgActionCapability: {
      ...{ canAdminRevokeMsg, canEditCaption, canEditText, canSenderRevokeMsg },
      canForwardMsg: canForward,
    },
    // The same, with a result.
    WAWebChatSendMessages: {
      sendRevokeMsgs: (_chat: Chat, { list }: Selection) => revokeMsgs(list),
      sendStarMsgs: async (_chat: Chat, list: readonly Msg[], isStarred: boolean) => {
        await connection.request('star', { ids: idsOf(list), isStarred });
        for (const msg of list) msg.set({ star: isStarred });
        return { status: 200 };
      },
      sendDeleteMsgs:
        switches.deleteForm === 'object'
          ? ({ record }: { readonly record: Selection }) => deleteMsgs(record.list)
          : (_chat: Chat, { list }: Selection, _clearMedia: boolean) => deleteMsgs(list),
    },
  };
}
