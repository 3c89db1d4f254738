import type { MessageModel, PageMessage, PageWindow, Refused } from './window.ts';

declare const window: PageWindow;

/** A channel as it leaves the page. */
export interface ChannelModel {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly role: string | undefined;
  readonly followers: number | undefined;
  readonly inviteCode: string | undefined;
  readonly isVerified: boolean | undefined;
}

/** The channels that the account follows or has, from the page's memory. Others may be there, as previews. */
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

/** Queries a channel, by its id or invite code. It is not opened. */
export async function readChannel(key: string): Promise<ChannelModel | 'no_channel' | Refused> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const held = channels
    ?.getModelsArray()
    .find(({ id, newsletterMetadata }) => String(id) === key || newsletterMetadata?.inviteCode === key);
  const role = held?.newsletterMetadata?.membershipType;
  try {
    const { queryNewsletterMetadataByInviteCode: query } = window.require('WAWebNewsletterMetadataQueryJob');
    const told = await query(key, role);
    if (!told?.idJid) return 'no_channel';
    return {
      id: told.idJid,
      name: told.newsletterNameMetadataMixin?.nameElementValue,
      description:
        told.newsletterDescriptionMetadataMixin?.descriptionQueryDescriptionResponseMixin?.elementValue ?? undefined,
      role: role ?? 'guest',
      followers: told.newsletterSubscribersMetadataMixin?.subscribersCount,
      inviteCode: told.newsletterInviteLinkMetadataMixin?.inviteCode,
      isVerified: told.newsletterVerificationMetadataMixin?.verificationState === 'verified',
    };
  } catch (error) {
    return window.chatWebTools.refusedBy(error);
  }
}

/** The newest messages of a channel that the account follows or has, oldest first; older ones are loaded within the time. */
export async function listChannelMessages(
  channelId: string,
  limit: number,
  timeoutMs: number,
): Promise<MessageModel[] | 'no_channel'> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const chat = channels?.get(channelId);
  const role = chat?.newsletterMetadata?.membershipType;
  if (!chat || role === undefined || role === 'guest') return 'no_channel';
  const tools = window.chatWebTools;
  const notShown = /^(newsletter_notification|notification|e2e_notification|protocol|ciphertext|revoked|unknown)/;
  const shown = () => chat.msgs.getModelsArray().filter(({ type }: PageMessage) => !notShown.test(type));
  const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), timeoutMs));
  const { loadEarlierMsgs } = window.require('WAWebChatLoadMessages');
  while (shown().length < limit) {
    const before = chat.msgs.getModelsArray().length;
    // What is loaded already is listed, also if the rest cannot be.
    const loaded = await Promise.race([loadEarlierMsgs({ chat }).catch(() => undefined), late]);
    if (loaded === 'late' || !loaded?.length || chat.msgs.getModelsArray().length === before) break;
  }
  return shown()
    .sort((one, other) => (one.t ?? 0) - (other.t ?? 0))
    .slice(-limit)
    .flatMap((message) => tools.sentModel(message) ?? []);
}

/**
 * Follows a channel. Does nothing if the account follows or has it. `unknown`: the page does not say whether the network
 * has taken it.
 */
export async function followChannel(channelId: string): Promise<'ok' | 'no_channel' | 'unknown' | Refused> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const role = () => channels?.get(channelId)?.newsletterMetadata?.membershipType ?? 'guest';
  if (role() !== 'guest') return 'ok';
  const tools = window.chatWebTools;
  let hasAsked = false;
  try {
    // The page follows only a channel whose metadata it has, and says nothing otherwise.
    const preview = await window.require('WAWebLoadNewsletterPreviewChatAction').loadNewsletterPreviewChat(channelId);
    const chat = channels?.get(channelId) ?? preview;
    if (!chat) return 'no_channel';
    const surface = { eventSurface: 3 };
    const { subscribeToNewsletterAction } = window.require('WAWebNewsletterSubscribeAction');
    hasAsked = true;
    await subscribeToNewsletterAction(chat, surface);
    return role() === 'guest' ? { refused: 400 } : 'ok';
  } catch (error) {
    // The page has more to do once the network has it, and any of that may fail.
    if (role() !== 'guest') return 'ok';
    return hasAsked && tools.refusal(error) === undefined ? 'unknown' : tools.refusedBy(error);
  }
}

/** Unfollows a channel. `unknown`: the page does not say whether the network has taken it. */
export async function unfollowChannel(channelId: string): Promise<'ok' | 'no_channel' | 'own' | 'unknown' | Refused> {
  const tools = window.chatWebTools;
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
    // The page takes the channel out of its database before it shows that: an error of its own may be of that.
    return tools.refusal(error) === undefined ? 'unknown' : tools.refusedBy(error);
  }
}

/** Posts a text. Returns its message, undefined if the page does not say what became of it. */
export async function postToChannel(
  channelId: string,
  body: string,
): Promise<{ readonly message: MessageModel } | 'no_channel' | 'not_admin' | Refused | undefined> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const chat = channels?.get(channelId);
  const role = chat?.newsletterMetadata?.membershipType ?? 'guest';
  if (!chat || role === 'guest') return 'no_channel';
  if (role !== 'owner' && role !== 'admin') return 'not_admin';
  const tools = window.chatWebTools;
  const { sendNewsletterTextMsg } = window.require('WAWebNewsletterSendMsgAction');
  const result = await sendNewsletterTextMsg(chat, body, {});
  // In a channel this name is an answer of the network. Other failures leave open whether it has the post.
  if (result?.messageSendResult === 'ERROR_NETWORK') return { refused: Number(result.ackErrorCode) || 400 };
  if (tools.readOutcome(result).is !== 'sent' || !result?.msg) return undefined;
  const message = tools.sentModel(result.msg);
  return message && { message };
}
