import { refusalStatus } from '../errors.ts';
import { draftOf, ownTextAttributes } from '../message-conversion.ts';
import { type Chat, newsletters } from '../models/chat.ts';
import { Msg, messages } from '../models/message.ts';
import { newsletterMetadata } from '../models/newsletter-metadata.ts';
import { MsgKey } from '../msg-key.ts';
import type { SendResult } from '../outbox.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';

export function newsletterModules({ connection, mailbox, users }: Page): Modules {
  const subscribe = async (chat: Chat) => {
    // Fails silently.
    if (!chat.newsletterMetadata) return;
    await connection.request('follow-channel', { id: String(chat.get('id')) });
    chat.newsletterMetadata.set({ membershipType: 'subscriber' });
    // Failures from here on are also thrown.
    await connection.request('channel-add-ons', { id: String(chat.get('id')) });
  };
  const unsubscribe = async (chat: Chat) => {
    try {
      await connection.request('unfollow-channel', { id: String(chat.get('id')) });
    } catch (error) {
      if (refusalStatus(error) !== 400) throw error; // It was not followed.
    }
    if (chat.newsletterMetadata) newsletterMetadata.remove(chat.newsletterMetadata);
    newsletters.remove(chat);
  };
  /** It does not reject: a refusal of the network is ERROR_NETWORK, any other failure ERROR_UNKNOWN. */
  const sendText = async (chat: Chat, text: string): Promise<SendResult & { readonly msg?: Msg }> => {
    const id = chat.get('id');
    const body = text.trim();
    if (!id?.isNewsletter() || body === '') throw new Error('Failed to generate MsgData');
    const key = new MsgKey({ fromMe: true, remote: id, id: await MsgKey.newId() });
    const msg = new Msg(ownTextAttributes(key, users.ownWid('pn'), body));
    chat.addMessage(messages.add(msg));
    try {
      const answer = await connection.request('send', draftOf(String(id), msg));
      if ('t' in answer) {
        msg.updateAck(1);
        return { messageSendResult: 'OK', msg };
      }
      msg.fail();
      return { messageSendResult: 'ERROR_NETWORK' };
    } catch {
      msg.fail();
      return { messageSendResult: 'ERROR_UNKNOWN' };
    }
  };
  return {
    WAWebNewsletterMetadataQueryJob: {
      queryNewsletterMetadataByInviteCode: async (key: string, _role: string | undefined) => {
        const { channel } = await connection.request('channel', { key });
        return {
          idJid: channel.id,
          newsletterNameMetadataMixin: { nameElementValue: channel.name },
          newsletterDescriptionMetadataMixin: {
            descriptionQueryDescriptionResponseMixin: { elementValue: channel.description },
          },
          newsletterInviteLinkMetadataMixin: { inviteCode: channel.inviteCode },
          newsletterSubscribersMetadataMixin: { subscribersCount: channel.followers },
          newsletterVerificationMetadataMixin: { verificationState: 'unverified' },
        };
      },
    },
    WAWebLoadNewsletterPreviewChatAction: {
      loadNewsletterPreviewChat: async (key: string) => {
        const { channel, chat } = await connection.request('channel', { key });
        const known = newsletters.get(channel.id);
        if (known?.newsletterMetadata && channel.role !== 'guest') return known;
        mailbox.restore(chat);
        return newsletters.get(channel.id);
      },
    },
    WAWebNewsletterSubscribeAction: { subscribeToNewsletterAction: subscribe },
    WAWebNewsletterUnsubscribeAction: { unsubscribeFromNewsletterAction: unsubscribe },
    WAWebNewsletterSendMsgAction: { sendNewsletterTextMsg: sendText },
  };
}
