import { findLink, findLinks } from '../linkify.ts';
import type { Chat } from '../models/chat.ts';
import { canReply, type Msg, type MsgAttributes } from '../models/message.ts';
import { reactionTableMode } from '../models/reactions.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';

/** What can be done with a message. */
export function messageModules({ connection, outbox, mailbox }: Page): Modules {
  return {
    WAWebSendMsgChatAction: {
      addAndSendMsgToChat: (chat: Chat, values: Partial<MsgAttributes>) => outbox.send(chat, values),
    },
    WAWebSendMessageEditAction: {
      sendMessageEdit: async (msg: Msg, body: string) => {
        await connection.request('edit', { id: msg.get('id')?.id ?? '', body });
      },
    },
    WAWebSendReactionMsgAction: {
      sendReactionToMsg: async (msg: Msg, emoji: string) => {
        await connection.request('react', { id: msg.get('id')?.id ?? '', emoji });
      },
    },
    WAWebAddonReactionTableMode: { reactionTableMode },
    WAWebAddonPollVoteTableMode: { pollVoteTableMode: { bulkUpsert: () => undefined } },
    WAWebGetEphemeralFieldsMsgActionsUtils: { getEphemeralFields: () => ({}) },
    WAWebMsgReply: { canReplyMsg: canReply },
    WAWebQuotedMsgModelUtils: { getQuotedMsgObj: (msg: Msg) => mailbox.quotedBy(msg) },
    WALinkify: { findLink, findLinks },
    WAWebLinkPreviewChatAction: { getLinkPreview: async () => null },
    WAWebSyncGatingUtils: { isPlaceholderMessageResendEnabled: () => false },
    WAWebNonMessageDataRequestPlaceholderMessageResendUtils: { handlePlaceholderMsgsSeen: () => undefined },
    // The library wraps these two; nothing here calls them.
    WAWebBackendJobsCommon: { mediaTypeFromProtobuf: () => null },
    WAWebE2EProtoUtils: { typeAttributeFromProtobuf: () => 'text' },
  };
}
