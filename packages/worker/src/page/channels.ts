import { resultWithin } from './delay.ts';
import type { MessageModel, PageMessage } from './models.ts';
import { networkCode, Refusal, refusedByNetwork, refusedMessage, unreported } from './refusal.ts';
import { sentModel } from './tools/messages.ts';
import { readOutcome } from './tools/outcomes.ts';

/** Types of messages that are not posts. */
const NOT_SHOWN = /^(newsletter_notification|notification|e2e_notification|protocol|ciphertext|revoked|unknown)/;
/** Where in the page the user follows or unfollows a channel. */
const SURFACE = 3;

/** Refusals because of the channel, by the network's code. */
const CLOSED: Readonly<Record<number, string>> = {
  405: 'the channel is closed',
  419: 'the channel has reached its limit of followers',
  423: 'the channel is suspended',
  451: 'the channel is not available in the country of the account',
};

function noChannel(): Refusal {
  return new Refusal('chat_not_found', 'there is no such channel, or the account does not follow it');
}

function refusedByChannel(code: number): Refusal {
  if (code === 404) return noChannel();
  const why = CLOSED[code];
  return why ? new Refusal('not_permitted', `${why} (code ${code})`) : refusedByNetwork(code);
}

function heldChannel(id: string) {
  return window.require('WAWebCollections').WAWebNewsletterCollection?.get(id);
}

/** What the account is in a channel now; `guest` if it does not follow it. */
function roleIn(id: string): string {
  return heldChannel(id)?.newsletterMetadata?.membershipType ?? 'guest';
}

/** A channel that the account follows or manages, and what it is there; refuses the call without one. */
function requireFollowed(id: string) {
  const chat = heldChannel(id);
  const role = chat?.newsletterMetadata?.membershipType ?? 'guest';
  if (!chat || role === 'guest') throw noChannel();
  return { chat, role };
}

/** The error of the page, or the refusal of the network. */
function refusalOf(error: unknown): unknown {
  const code = networkCode(error);
  return code === undefined ? error : refusedByChannel(code);
}

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
export async function getChannel(key: string): Promise<ChannelModel> {
  const { WAWebNewsletterCollection: channels } = window.require('WAWebCollections');
  const held = channels
    ?.getModelsArray()
    .find(({ id, newsletterMetadata }) => String(id) === key || newsletterMetadata?.inviteCode === key);
  const role = held?.newsletterMetadata?.membershipType;
  const { queryNewsletterMetadataByInviteCode: query } = window.require('WAWebNewsletterMetadataQueryJob');
  const asking = async () => query(key, role);
  const answer = await asking().catch((error: unknown) => {
    throw refusalOf(error);
  });
  if (!answer?.idJid) throw noChannel();
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
}

/**
 * The newest messages of a channel that the account follows or manages, oldest first. Loads older ones until the limit.
 */
export async function listChannelMessages(
  channelId: string,
  limit: number,
  timeoutMs: number,
): Promise<MessageModel[]> {
  const { chat } = requireFollowed(channelId);
  const shown = () => chat.msgs.getModelsArray().filter(({ type }: PageMessage) => !NOT_SHOWN.test(type));
  const deadline = Date.now() + timeoutMs;
  const { loadEarlierMsgs } = window.require('WAWebChatLoadMessages');
  while (shown().length < limit && Date.now() < deadline) {
    const before = chat.msgs.getModelsArray().length;
    // If loading fails, the loaded messages are still listed.
    const loaded = await resultWithin(loadEarlierMsgs({ chat }), deadline - Date.now());
    if (!loaded?.length || chat.msgs.getModelsArray().length === before) break;
  }
  return shown()
    .sort((one, other) => (one.t ?? 0) - (other.t ?? 0))
    .slice(-limit)
    .flatMap((message) => sentModel(message) ?? []);
}

/** Follows a channel. Does nothing if the account follows or manages it already. */
export async function followChannel(channelId: string): Promise<void> {
  if (roleIn(channelId) !== 'guest') return;
  let hasAsked = false;
  try {
    // The page silently ignores a channel without metadata.
    const preview = await window.require('WAWebLoadNewsletterPreviewChatAction').loadNewsletterPreviewChat(channelId);
    const chat = heldChannel(channelId) ?? preview;
    if (!chat) throw noChannel();
    const { subscribeToNewsletterAction } = window.require('WAWebNewsletterSubscribeAction');
    hasAsked = true;
    await subscribeToNewsletterAction(chat, { eventSurface: SURFACE });
  } catch (error) {
    // A later step of the page may have failed after the network accepted the change.
    if (roleIn(channelId) !== 'guest') return;
    throw hasAsked && networkCode(error) === undefined ? unreported('the channel is followed') : refusalOf(error);
  }
  if (roleIn(channelId) === 'guest') throw refusedByChannel(400);
}

/** Unfollows a channel. */
export async function unfollowChannel(channelId: string): Promise<void> {
  const { chat, role } = requireFollowed(channelId);
  if (role === 'owner') throw new Refusal('not_permitted', 'the account owns that channel');
  try {
    await window
      .require('WAWebNewsletterUnsubscribeAction')
      .unsubscribeFromNewsletterAction(chat, { eventSurface: SURFACE });
  } catch (error) {
    if (roleIn(channelId) === 'guest') return;
    // The page then updates its database before its memory: its own error may come from that, after the change.
    throw networkCode(error) === undefined ? unreported('the channel is still followed') : refusalOf(error);
  }
}

/** Posts a text. Returns its message. */
export async function postToChannel(channelId: string, body: string): Promise<MessageModel> {
  const { chat, role } = requireFollowed(channelId);
  if (role !== 'owner' && role !== 'admin')
    throw new Refusal('not_permitted', 'the account neither owns nor administers that channel');
  const { sendNewsletterTextMsg } = window.require('WAWebNewsletterSendMsgAction');
  const result = await sendNewsletterTextMsg(chat, body, {});
  // In a channel, this name is a refusal by the network. After other failures it may have the post.
  if (result?.messageSendResult === 'ERROR_NETWORK') throw refusedMessage('post', undefined); // The page does not return the code.
  const message = readOutcome(result).is === 'sent' && result?.msg ? sentModel(result.msg) : undefined;
  if (!message) throw unreported('the text was posted');
  return message;
}
