import { ServerStatusCodeError } from '../errors.ts';
import {
  canAdminRevokeMsg,
  canEditCaption,
  canEditText,
  canForward,
  canMark,
  canSenderRevokeMsg,
} from '../message-capability.ts';
import type { Chat } from '../models/chat.ts';
import { cmd } from '../models/conn.ts';
import type { Msg } from '../models/message.ts';
import type { Page } from '../page.ts';
import { recordAction } from '../records.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';

interface Selection {
  readonly list: readonly Msg[];
}

const idsOf = (msgs: readonly Msg[]) => msgs.map((msg) => msg.get('id')?.id ?? '');

/** The commands of the user: new references for the QR, and deletion. */
export function commandModules(page: Page): Modules {
  const { appState, connection, link, mailbox } = page;
  const hide = async (msgs: readonly Msg[]) => {
    await connection.request('hide', { ids: idsOf(msgs) });
    for (const msg of msgs) mailbox.forget(String(msg.get('id')));
  };
  const revokeMsgs = (list: readonly Msg[]) =>
    Promise.all(
      list.map(async (msg) => {
        const protocolMessageKey = msg.get('id');
        const subtype = 'sender_revoke';
        const request = () => connection.request('revoke', { id: protocolMessageKey?.id ?? '' });
        const { messageSendResult } = await recordAction.sendMsgRecord({
          protocolMessageKey,
          subtype,
          ack: 0,
          request,
        });
        return { messageSendResult };
      }),
    );
  // A refusal shows only in the number.
  const deleteMsgs = (list: readonly Msg[]) =>
    hide(list).then(
      () => list.length,
      (error: unknown) => {
        if (error instanceof ServerStatusCodeError) return 0;
        throw error;
      },
    );
  const starMsgs = async (list: readonly Msg[], isStarred: boolean): Promise<void> => {
    for (const msg of list) msg.set({ star: isStarred });
    appState.push('star', { ids: idsOf(list), isStarred });
  };
  const [revokeIn, deleteIn, starIn] = [perChat(revokeMsgs), perChat(deleteMsgs), perChat(starMsgs)];
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
      canAdminRevokeMsg,
      canEditCaption,
      canEditText,
      canSenderRevokeMsg,
      canForwardMsg: canForward,
      canStarMsg: canMark,
      canPinMsg: canMark,
    },
    // The same, with a result.
    WAWebChatSendMessages: {
      sendRevokeMsgs: (chat: Chat, { list }: Selection) => revokeIn(chat, list),
      sendStarMsgs: starIn,
      sendDeleteMsgs:
        switches.deleteForm === 'object'
          ? ({ chat_: chat, record }: { readonly chat_: Chat; readonly record: Selection }) =>
              deleteIn(chat, record.list)
          : (chat: Chat, { list }: Selection, _clearMedia: boolean) => deleteIn(chat, list),
    },
  };
}

/** Returns the promise of the action in progress in a chat, even if another one is requested. */
function perChat<A extends unknown[], R>(work: (...args: A) => Promise<R>): (chat: Chat, ...args: A) => Promise<R> {
  const underWay = new Map<Chat, Promise<R>>();
  return (chat, ...args) => {
    const running = underWay.get(chat) ?? work(...args).finally(() => underWay.delete(chat));
    underWay.set(chat, running);
    return running;
  };
}
