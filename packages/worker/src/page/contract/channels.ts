import type { PageChat, PageSendResult } from '../window.ts';
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
    queryNewsletterMetadataByInviteCode(key: string, role: string | undefined): Promise<ChannelAnswer | null>;
  };
  WAWebLoadNewsletterPreviewChatAction: { loadNewsletterPreviewChat(key: string): Promise<PageChat | undefined> };
  WAWebNewsletterSubscribeAction: {
    subscribeToNewsletterAction(chat: PageChat, options: { eventSurface: number }): Promise<unknown>;
  };
  WAWebNewsletterUnsubscribeAction: {
    unsubscribeFromNewsletterAction(chat: PageChat, options: { eventSurface: number }): Promise<unknown>;
  };
  WAWebNewsletterSendMsgAction: {
    sendNewsletterTextMsg(chat: PageChat, text: string, options: object): Promise<PageSendResult | undefined>;
  };
}

/** Their parts. */
export const channelParts: Contract<ChannelModules> = {
  WAWebNewsletterMetadataQueryJob: {
    queryNewsletterMetadataByInviteCode: fn(
      "(id or invite code, own role) → Promise of the network's answer; retries by itself",
      'getChannel',
    ),
  },
  WAWebLoadNewsletterPreviewChatAction: {
    loadNewsletterPreviewChat: fn('(id or invite code) → Promise<chat>; rejects without one', 'followChannel'),
  },
  WAWebNewsletterSubscribeAction: {
    subscribeToNewsletterAction: fn(
      '(chat, {eventSurface}) → Promise; silently does nothing without metadata; may reject after membershipType has changed',
      'followChannel',
    ),
  },
  WAWebNewsletterUnsubscribeAction: {
    unsubscribeFromNewsletterAction: fn(
      '(chat, {eventSurface}) → Promise; may reject after the network has accepted it',
      'unfollowChannel',
    ),
  },
  WAWebNewsletterSendMsgAction: {
    sendNewsletterTextMsg: fn(
      '(chat, text, {}) → Promise<{messageSendResult, msg}>; ERROR_NETWORK if the network refuses',
      'postToChannel',
    ),
  },
};
