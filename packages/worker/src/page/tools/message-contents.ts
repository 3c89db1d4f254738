import type { MessageModel, PageMessage } from '../models.ts';
import { type ContactCard, readCards } from './contact-cards.ts';
import { isMe, ownIds, phoneOr } from './identities.ts';

/** The content of a message; of a quoted one, the page has only that. */
type Content = Partial<PageMessage>;

const hasAuthors = /@g\.us$|^status@broadcast$/;

/** Messages whose body is a thumbnail, if they have one. */
const files = new Set<unknown>(['image', 'video', 'ptv', 'audio', 'ptt', 'document', 'sticker', 'sticker-pack']);

/** Whether the text of a message is its caption. */
export function hasCaption({ type, directPath }: Content): boolean {
  return Boolean(directPath) || files.has(type);
}

/**
 * The text of a message: body, caption, name of a location, question of a poll, or the text of contact cards. The body
 * of a file or location is its thumbnail.
 */
export function textOf(message: Content): string | undefined {
  if (hasCaption(message)) return message.caption;
  if (message.type === 'location') return message.loc;
  if (message.type === 'multi_vcard') return (message.vcardList ?? []).map((card) => card?.vcard).join('\n');
  return message.type === 'poll_creation' ? message.pollName : message.body;
}

/** The id of the message that a reply quotes. */
export function quotedId({ id, quotedStanzaID, quotedParticipant, quotedRemoteJid }: PageMessage): string | undefined {
  if (!quotedStanzaID || !quotedParticipant) return undefined;
  // A reply in another chat than that of the group or status. Some senders wrongly set a chat between two people.
  const isElsewhere = hasAuthors.test(String(quotedRemoteJid));
  const remote = String(isElsewhere ? quotedRemoteJid : id.remote);
  const mine = isMe(quotedParticipant) || ownIds().some((own) => phoneOr(own) === phoneOr(quotedParticipant));
  const key = `${mine}_${remote}_${quotedStanzaID}`;
  if (!isElsewhere && isMe(id.remote) && /_(in|out)$/.test(String(id))) return `${key}_out`; // A note to oneself.
  return hasAuthors.test(remote) ? `${key}_${quotedParticipant}` : key;
}

/** What a reply has of the quoted message, which the page may not have, or no longer. */
export function quotedContent({ quotedMsg, quotedParticipant }: PageMessage): MessageModel['quoted'] {
  if (!quotedMsg) return undefined;
  return { author: phoneOr(quotedParticipant), type: quotedMsg.type, body: textOf(quotedMsg) };
}

/** The people in contact cards; undefined for other messages. */
export function contactsOf({ type, body, vcardFormattedName, vcardList }: Content): ContactCard[] | undefined {
  const one = type === 'vcard' ? [{ displayName: vcardFormattedName, vcard: body }] : undefined;
  return (type === 'multi_vcard' ? (vcardList ?? []) : one)?.flatMap((sent) => {
    const { displayName = '', vcard = '' } = sent ?? {};
    const cards = readCards(vcard, displayName);
    return cards.length > 0 ? cards : [{ name: displayName, numbers: [] }];
  });
}
