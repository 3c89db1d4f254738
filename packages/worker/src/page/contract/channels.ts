import type { PageChat, PageSendResult } from '../models.ts';
import { type Contract, fn } from './part.ts';

/** The network's answer about a channel. */
interface ChannelAnswer {
  readonly idJid?: string;
  readonly newsletterNameMetadataMixin?: { readonly nameElementValue?: string } | null;
  readonly newsletterDescriptionMetadataMixin?: {
    readonly descriptionQueryDescriptionResponseMixin?: { readonly elementValue?: string } | null;
  } | null;
  readonly newsletterInviteLinkMetadataMixin?: { readonly inviteCode?: string } | null;
  readonly newsletterSubscribersMetadataMixin?: { readonly subscribersCount?: number } | null;
  readonly newsletterVerificationMetadataMixin?: { readonly verificationState?: string } | null;
}

/** Modules for channels. */
export interface ChannelModules {
  WAWebNewsletterMetadataQueryJob: {
    /** Resolves with the network's answer. Retries by itself. */
    queryNewsletterMetadataByInviteCode(key: string, role: string | undefined): Promise<ChannelAnswer | null>;
  };
  WAWebLoadNewsletterPreviewChatAction: {
    /** Rejects without one. */
    loadNewsletterPreviewChat(key: string): Promise<PageChat | undefined>;
  };
  WAWebNewsletterSubscribeAction: {
    /** Silently does nothing without metadata; may reject after membershipType has changed. */
    subscribeToNewsletterAction(chat: PageChat, options: { eventSurface: number }): Promise<unknown>;
  };
  WAWebNewsletterUnsubscribeAction: {
    /** May reject after the network has accepted it. */
    unsubscribeFromNewsletterAction(chat: PageChat, options: { eventSurface: number }): Promise<unknown>;
  };
  WAWebNewsletterSendMsgAction: {
    /** `ERROR_NETWORK` if the network refuses. */
    sendNewsletterTextMsg(chat: PageChat, text: string, options: object): Promise<PageSendResult | undefined>;
  };
}

/** Their parts. */
export const channelParts: Contract<ChannelModules> = {
  WAWebNewsletterMetadataQueryJob: { queryNewsletterMetadataByInviteCode: fn('getChannel') },
  WAWebLoadNewsletterPreviewChatAction: { loadNewsletterPreviewChat: fn('followChannel') },
  WAWebNewsletterSubscribeAction: { subscribeToNewsletterAction: fn('followChannel') },
  WAWebNewsletterUnsubscribeAction: { unsubscribeFromNewsletterAction: fn('unfollowChannel') },
  WAWebNewsletterSendMsgAction: { sendNewsletterTextMsg: fn('postToChannel') },
};
