import type { MessageModel, PageMessage } from '../models.ts';
import { type ContactCard, readCards } from './contact-cards.ts';
import { isMe, ownIds, phoneOr } from './identities.ts';
import { type Content, textOf } from './message-texts.ts';

const hasAuthors = /@g\.us$|^status@broadcast$/;

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

/** What the page knows of the advertisement, or the link, from which a person wrote; undefined without one. */
export function referralOf({ ctwaContext: context }: Content): MessageModel['referral'] {
  if (!context) return undefined;
  const { sourceUrl, sourceId, sourceType, conversionSource, title, ctwaClid } = context;
  return {
    url: written(sourceUrl),
    id: written(sourceId),
    type: written(sourceType) || written(conversionSource),
    title: written(title),
    clickId: written(ctwaClid),
  };
}

/** The button or the row of a list that a person has chosen; undefined for other messages. */
export function selectionOf(message: Content): MessageModel['selected'] {
  switch (message.type) {
    case 'buttons_response':
      return { id: message.selectedButtonId, text: message.body };
    case 'list_response':
      return { id: message.listResponse?.singleSelectReply?.selectedRowId, text: message.listResponse?.title };
    case 'template_button_reply':
      return { id: message.selectedId, text: message.body };
    case 'interactive_response':
      return chosen(message);
    default:
      return undefined;
  }
}

/** The answer to a form has other parameters. */
function chosen({ interactivePayload, body }: Content): MessageModel['selected'] {
  try {
    const { id } = JSON.parse(String(interactivePayload?.paramsJson)) as { readonly id?: unknown };
    return written(id) ? { id: written(id), text: body } : undefined;
  } catch {
    return undefined;
  }
}

/** Others chose these values: some may not be texts. */
function written(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The id of the album that a photo or video is a part of. */
export function albumId({ parentMsgKey, associationType = 'MEDIA_ALBUM' }: Content): string | undefined {
  return parentMsgKey && associationType === 'MEDIA_ALBUM' ? String(parentMsgKey) : undefined;
}
