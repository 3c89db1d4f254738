import { findLink, findLinks } from '../linkify.ts';
import { canEditCaption, canEditText } from '../message-capability.ts';
import type { Chat } from '../models/chat.ts';
import { canReply, type Msg, type MsgAttributes, messages } from '../models/message.ts';
import { reactionTableMode } from '../models/reactions.ts';
import type { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';

/** What can be done with a message. */
export function messageModules({ connection, outbox, mailbox }: Page): Modules {
  return {
    WAWebSendMsgChatAction: {
      addAndSendMsgToChat: (chat: Chat, values: Partial<MsgAttributes>) => outbox.sendToChat(chat, values),
    },
    WAWebSendMessageEditAction: {
      // The page refuses by itself what is too old; of a refusal of the network only the message tells.
      sendMessageEdit: async (msg: Msg, body: string) => {
        if (!canEditText(msg) && !canEditCaption(msg)) throw new Error('Cannot edit message');
        const edited = connection.request('edit', { id: msg.get('id')?.id ?? '', body });
        await edited.catch(() => msg.set({ isSendFailure: true }));
      },
    },
    WAWebSendReactionMsgAction: {
      sendReactionToMsg: async (msg: Msg, emoji: string) => {
        await connection.request('react', { id: msg.get('id')?.id ?? '', emoji }).catch(() => {
          throw new Error('Reaction send error');
        });
      },
    },
    WAWebAddonReactionTableMode: { reactionTableMode },
    WAWebAddonPollVoteTableMode: { pollVoteTableMode: { bulkUpsert: () => undefined } },
    WAWebGetEphemeralFieldsMsgActionsUtils: { getEphemeralFields: () => ({}) },
    WAWebMsgReply: { canReplyMsg: canReply },
    WAWebQuotedMsgModelUtils: { getQuotedMsgObj: (msg: Msg) => mailbox.quotedBy(msg) },
    WAWebApiMessageInfoStore: { queryMsgInfo: async (key: MsgKey) => receiptsOf(key) },
    WALinkify: { findLink, findLinks },
    WAWebLinkPreviewChatAction: { getLinkPreview: async () => null },
    WAWebSyncGatingUtils: switches.placeholderResend ? { isPlaceholderMessageResendEnabled: () => false } : {},
    WAWebNonMessageDataRequestPlaceholderMessageResendUtils: { handlePlaceholderMsgsSeen: () => undefined },
    // The library wraps these two; nothing here calls them.
    WAWebBackendJobsCommon: { mediaTypeFromProtobuf: () => null },
    WAWebE2EProtoUtils: { typeAttributeFromProtobuf: () => 'text' },
  };
}

/** How far a message got; of a group, only whether all have it. */
function receiptsOf(key: MsgKey): object {
  const ack = messages.get(key)?.get('ack') ?? 0;
  const receipt = [{ id: key.remote, t: Math.floor(Date.now() / 1000) }];
  return {
    ...{ delivery: ack >= 2 ? receipt : [], deliveryRemaining: ack >= 2 ? 0 : 1 },
    ...{ read: ack >= 3 ? receipt : [], readRemaining: ack >= 3 ? 0 : 1, played: [], playedRemaining: 0 },
  };
}
