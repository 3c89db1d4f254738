import { delay } from './delay.ts';
import type { MessageModel, PageMessage, Refused } from './models.ts';
import { sentModel } from './tools/messages.ts';
import { readOutcome } from './tools/outcomes.ts';
import { refusal, refusedBy } from './tools/refusals.ts';

/** A channel, as the page returns it. */
export interface ChannelModel {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly role: string | undefined;
  readonly followers: number | undefined;
  readonly inviteCode: string | undefined;
  readonly isVerified: boolean | undefined;
}

/** The channels that the account follows or manages, from the page's memory, which may also hold previews of others. */
export function listChannels(): ChannelModel[] {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  return (channels?.getModelsArray() ?? []).flatMap((chat) => {
    const metadata = chat.newsletterMetadata;
    const role = metadata?.membershipType;
    if (role === undefined || !['owner', 'admin', 'subscriber'].includes(role)) return [];
    const { name = chat.name, description, size: followers, inviteCode, verified: isVerified } = metadata ?? {};
    return [{ id: String(chat.id), name, description, role, followers, inviteCode, isVerified }];
  });
}

/** Queries a channel by its id or invite code, without opening it. */
export async function readChannel(key: string): Promise<ChannelModel | 'no_channel' | Refused> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const held = channels
    ?.getModelsArray()
    .find(({ id, newsletterMetadata }) => String(id) === key || newsletterMetadata?.inviteCode === key);
  const role = held?.newsletterMetadata?.membershipType;
  try {
    const { queryNewsletterMetadataByInviteCode: query } = window.require('WAWebNewsletterMetadataQueryJob');
    const answer = await query(key, role);
    if (!answer?.idJid) return 'no_channel';
    return {
      id: answer.idJid,
      name: answer.newsletterNameMetadataMixin?.nameElementValue,
      description:
        answer.newsletterDescriptionMetadataMixin?.descriptionQueryDescriptionResponseMixin?.elementValue ?? undefined,
      role: role ?? 'guest',
      followers: answer.newsletterSubscribersMetadataMixin?.subscribersCount,
      inviteCode: answer.newsletterInviteLinkMetadataMixin?.inviteCode,
      isVerified: answer.newsletterVerificationMetadataMixin?.verificationState === 'verified',
    };
  } catch (error) {
    return refusedBy(error);
  }
}

/**
 * The newest messages of a channel that the account follows or manages, oldest first. Loads older ones until the limit.
 */
export async function listChannelMessages(
  channelId: string,
  limit: number,
  timeoutMs: number,
): Promise<MessageModel[] | 'no_channel'> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const chat = channels?.get(channelId);
  const role = chat?.newsletterMetadata?.membershipType;
  if (!chat || role === undefined || role === 'guest') return 'no_channel';
  const notShown = /^(newsletter_notification|notification|e2e_notification|protocol|ciphertext|revoked|unknown)/;
  const shown = () => chat.msgs.getModelsArray().filter(({ type }: PageMessage) => !notShown.test(type));
  const late = delay(timeoutMs, 'late' as const);
  const { loadEarlierMsgs } = window.require('WAWebChatLoadMessages');
  while (shown().length < limit) {
    const before = chat.msgs.getModelsArray().length;
    // If loading fails, the loaded messages are still listed.
    const loaded = await Promise.race([loadEarlierMsgs({ chat }).catch(() => undefined), late]);
    if (loaded === 'late' || !loaded?.length || chat.msgs.getModelsArray().length === before) break;
  }
  return shown()
    .sort((one, other) => (one.t ?? 0) - (other.t ?? 0))
    .slice(-limit)
    .flatMap((message) => sentModel(message) ?? []);
}

/**
 * Follows a channel. Does nothing if the account follows or manages it already. `unknown`: the network may have
 * accepted the change.
 */
export async function followChannel(channelId: string): Promise<'ok' | 'no_channel' | 'unknown' | Refused> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const role = () => channels?.get(channelId)?.newsletterMetadata?.membershipType ?? 'guest';
  if (role() !== 'guest') return 'ok';
  let hasAsked = false;
  try {
    // The page silently ignores a channel without metadata.
    const preview = await window.require('WAWebLoadNewsletterPreviewChatAction').loadNewsletterPreviewChat(channelId);
    const chat = channels?.get(channelId) ?? preview;
    if (!chat) return 'no_channel';
    const surface = { eventSurface: 3 };
    const { subscribeToNewsletterAction } = window.require('WAWebNewsletterSubscribeAction');
    hasAsked = true;
    await subscribeToNewsletterAction(chat, surface);
    return role() === 'guest' ? { refused: 400 } : 'ok';
  } catch (error) {
    // A later step of the page may have failed after the network accepted the change.
    if (role() !== 'guest') return 'ok';
    return hasAsked && refusal(error) === undefined ? 'unknown' : refusedBy(error);
  }
}

/** Unfollows a channel. `unknown`: the network may have accepted the change. */
export async function unfollowChannel(channelId: string): Promise<'ok' | 'no_channel' | 'own' | 'unknown' | Refused> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const role = () => channels?.get(channelId)?.newsletterMetadata?.membershipType ?? 'guest';
  const chat = channels?.get(channelId);
  if (!chat || role() === 'guest') return 'no_channel';
  if (role() === 'owner') return 'own';
  try {
    const surface = { eventSurface: 3 };
    await window.require('WAWebNewsletterUnsubscribeAction').unsubscribeFromNewsletterAction(chat, surface);
    return 'ok';
  } catch (error) {
    if (role() === 'guest') return 'ok';
    // The page then updates its database before its memory: its own error may come from that, after the change.
    return refusal(error) === undefined ? 'unknown' : refusedBy(error);
  }
}

/** Posts a text. Returns its message, or undefined if the outcome is unknown. */
export async function postToChannel(
  channelId: string,
  body: string,
): Promise<{ readonly message: MessageModel } | 'no_channel' | 'not_admin' | Refused | undefined> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const chat = channels?.get(channelId);
  const role = chat?.newsletterMetadata?.membershipType ?? 'guest';
  if (!chat || role === 'guest') return 'no_channel';
  if (role !== 'owner' && role !== 'admin') return 'not_admin';
  const { sendNewsletterTextMsg } = window.require('WAWebNewsletterSendMsgAction');
  const result = await sendNewsletterTextMsg(chat, body, {});
  // In a channel, this name is a refusal by the network. After other failures it may have the post.
  if (result?.messageSendResult === 'ERROR_NETWORK') return { refused: Number(result.ackErrorCode) || 400 };
  if (readOutcome(result).is !== 'sent' || !result?.msg) return undefined;
  const message = sentModel(result.msg);
  return message && { message };
}
