import { type FoundLink, findLink, findLinks } from '../linkify.ts';
import { canEditCaption, canEditText } from '../message-capability.ts';
import type { Chat } from '../models/chat.ts';
import { canReply, type Msg, type MsgAttributes } from '../models/message.ts';
import { reactionTableMode } from '../models/reactions.ts';
import { pollVoteTableMode } from '../models/votes.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';

/** What can be done with a message. */
export function messageModules({ connection, outbox }: Page): Modules {
  return {
    WAWebSendMsgChatAction: {
      addAndSendMsgToChat: (chat: Chat, values: Partial<MsgAttributes>) => outbox.sendToChat(chat, values),
    },
    WAWebSendMessageEditAction: {
      // The page itself refuses a message that is too old; a refusal of the network only shows in the message.
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
    WAWebAddonPollVoteTableMode: { pollVoteTableMode },
    WAWebGetEphemeralFieldsMsgActionsUtils: { getEphemeralFields: () => ({}) },
    WAWebMsgReply: { canReplyMsg: canReply },
    WALinkify: { findLink, findLinks },
    WAWebLinkPreviewChatAction: {
      // The phone makes it; while it is off, there is none.
      getLinkPreview: async ({ href, value }: FoundLink) => {
        const made = await connection.request('preview', { url: href });
        return { url: href, data: { ...made, matchedText: value, canonicalUrl: href, doNotPlayInline: true } };
      },
    },
    WAWebSyncGatingUtils: switches.placeholderResend ? { isPlaceholderMessageResendEnabled: () => false } : {},
    WAWebNonMessageDataRequestPlaceholderMessageResendUtils: { handlePlaceholderMsgsSeen: () => undefined },
    // The library wraps these two; nothing here calls them.
    WAWebBackendJobsCommon: { mediaTypeFromProtobuf: () => null },
    WAWebE2EProtoUtils: { typeAttributeFromProtobuf: () => 'text' },
  };
}
