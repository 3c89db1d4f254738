import { type FoundLink, findLink, findLinks } from '../linkify.ts';
import { canEditCaption, canEditText, canReply } from '../message-capability.ts';
import { pollVoteTableMode, reactionRowOf, reactionTableMode, reactionTimeOf } from '../models/add-ons.ts';
import { type Chat, ephemeralFields, findChat } from '../models/chat.ts';
import { isChatBlocked } from '../models/contact.ts';
import { type Msg, type MsgAttributes, messageEdits } from '../models/message.ts';
import { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
import { recordAction } from '../records.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import type { Wid } from '../wid.ts';
import { previewFields, type WirePreview } from '../wire.ts';

/** The fields of an edited message besides its text. */
interface EditOptions {
  readonly mentionedJidList?: Wid[];
  readonly linkPreview?: WirePreview;
}

/** Scripts may replace its function: it is looked up at each call, as in the real page. */
interface UnreadAction {
  sendSeen(what: { readonly chat: Chat }): Promise<void>;
}

export function messageModules({ connection, outbox, users }: Page, { WAWebUpdateUnreadChatAction }: Modules): Modules {
  const unread = WAWebUpdateUnreadChatAction as UnreadAction;
  return {
    WAWebSendMsgChatAction: {
      addAndSendMsgToChat: (chat: Chat, values: Partial<MsgAttributes>) => {
        const [added, sent] = outbox.sendToChat(chat, values);
        const seen = added.then(() => unread.sendSeen({ chat }));
        seen.catch(() => undefined);
        return [added, sent];
      },
    },
    WAWebSendMessageEditAction: {
      // The page itself refuses a message that is too old; a refusal of the network only shows in the message.
      // The page shows the edit before the network has it, and keeps it after a refusal. Fields that are missing in the
      // options are removed from the message.
      sendMessageEdit: async (msg: Msg, text: string, { mentionedJidList = [], linkPreview = {} }: EditOptions) => {
        const id = msg.get('id');
        if (!id || (!canEditText(msg) && !canEditCaption(msg))) throw new Error('Cannot edit message');
        const [body, atMs] = [text.trim(), Date.now()];
        const latestEditMsgKey = new MsgKey({ fromMe: true, remote: id.remote, id: await MsgKey.newId() });
        const shown = msg.get('directPath') ? { caption: body } : { body };
        const preview = Object.fromEntries(previewFields.map((name) => [name, linkPreview[name] ?? null]));
        const mentions = mentionedJidList.map(String);
        msg.set({ ...shown, ...preview, mentionedJidList, latestEditMsgKey, latestEditSenderTimestampMs: atMs });
        const request = () => connection.request('edit', { id: id.id, body, atMs, mentions, preview });
        const { messageSendResult } = await recordAction.sendMsgRecord({
          protocolMessageKey: id,
          subtype: 'message_edit',
          ack: 0,
          request,
        });
        msg.set({ isSendFailure: messageSendResult !== 'OK' });
      },
    },
    WAWebSendReactionMsgAction: {
      // The page stores the reaction before the network has it; its ack follows.
      sendReactionToMsg: async (msg: Msg, emoji: string) => {
        const parent = msg.get('id');
        if (!parent) throw new Error('the message has no id');
        const chat = findChat(parent.remote);
        // Not in a chat, such as a status.
        if (!chat) throw new TypeError("Cannot read properties of undefined (reading 'id')");
        if (emoji !== '' && isChatBlocked(chat)) throw new Error('Contact is blocked');
        void unread.sendSeen({ chat });
        const from = users.ownWid('pn');
        const made = { id: await MsgKey.newId(), emoji, atMs: reactionTimeOf(parent, from) };
        const row = reactionRowOf(parent, { ...made, from: String(from), fromMe: true }, 0);
        reactionTableMode.bulkUpsert([row]);
        const request = () =>
          connection.request('react', { id: parent.id, emoji, reactionId: made.id, atMs: made.atMs });
        const { messageSendResult } = await recordAction.sendAddonRecord({
          reactionParentKey: parent,
          ack: 0,
          request,
        });
        if (messageSendResult !== 'OK') {
          reactionTableMode.updateAck({ ...row, ack: -1 }, -1);
          throw new Error('Reaction send error');
        }
        reactionTableMode.updateAck({ ...row, ack: 1 }, 1);
      },
    },
    WAWebSendMsgRecordAction: recordAction,
    WAWebUpdateEditedMessagesAction: messageEdits,
    WAWebAddonReactionTableMode: { reactionTableMode },
    WAWebAddonPollVoteTableMode: { pollVoteTableMode },
    WAWebGetEphemeralFieldsMsgActionsUtils: { getEphemeralFields: ephemeralFields },
    WAWebMsgReply: { canReplyMsg: canReply },
    WALinkify: { findLink, findLinks },
    WAWebCodeFormatMutator: { removeCodeBlocks: (text: string) => text.replace(/```[\s\S]*?```/g, ' ') },
    WAWebLinkPreviewChatAction: {
      // The phone creates it; while the phone is off, there is none.
      getLinkPreview: async ({ href, url }: FoundLink) => {
        const made = await connection.request('preview', { url: href });
        return { url: href, data: { ...made, matchedText: url, canonicalUrl: href, doNotPlayInline: true } };
      },
    },
    WAWebSyncGatingUtils: switches.placeholderResend ? { isPlaceholderMessageResendEnabled: () => false } : {},
    WAWebNonMessageDataRequestPlaceholderMessageResendUtils: { handlePlaceholderMsgsSeen: () => undefined },
    // The library wraps these two; nothing here calls them.
    WAWebBackendJobsCommon: { mediaTypeFromProtobuf: () => null },
    WAWebE2EProtoUtils: { typeAttributeFromProtobuf: () => 'text' },
  };
}
