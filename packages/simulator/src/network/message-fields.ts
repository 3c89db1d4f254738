import type { PhoneMessage } from '../api.ts';
import type { OutgoingMessage } from '../control/inputs.ts';
import type { WireType } from '../page/wire.ts';
import type { Message } from './records.ts';

/** A map of the place, as phones send one: one pixel. */
const MAP_THUMBNAIL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Fields = Readonly<Record<string, unknown>>;
/** The type of a message that is neither a text nor a file, in the page's terms. */
type TypedContent = { readonly type: WireType; readonly body: string; readonly fields: Fields };

/** The place, cards or poll that a phone sends; undefined for a text or a file. */
export function typedContentOf({ location, contacts, poll }: OutgoingMessage): TypedContent | undefined {
  if (location) {
    const { latitude: lat, longitude: lng, name, address } = location;
    const loc = name === undefined && address === undefined ? undefined : [name, address].join('\n').trimEnd();
    return { type: 'location', body: MAP_THUMBNAIL, fields: { lat, lng, ...(loc === undefined ? {} : { loc }) } };
  }
  if (contacts) {
    const [first] = contacts;
    const vcardList = contacts.map(({ name, vcard }) => ({ displayName: name, vcard }));
    if (contacts.length !== 1 || !first) return { type: 'multi_vcard', body: '', fields: { vcardList } };
    return { type: 'vcard', body: first.vcard, fields: { vcardFormattedName: first.name } };
  }
  if (!poll) return undefined;
  const pollOptions = poll.options.map((name, localId) => ({ name, localId }));
  const pollSelectableOptionsCount = poll.multiple ? 0 : 1;
  return {
    type: 'poll_creation',
    body: '',
    fields: { pollName: poll.question, pollOptions, pollSelectableOptionsCount },
  };
}

/** What a phone shows besides a text or a caption. */
export function textDetails({ fields = {}, mentions, to }: Pick<Message, 'fields' | 'mentions' | 'to'>): TextDetails {
  const { title, description, matchedText, nonJidMentions, isForwarded, ephemeralDuration } = fields;
  return {
    isForwarded: isForwarded === true || undefined,
    messageTimer: typeof ephemeralDuration === 'number' ? ephemeralDuration : undefined,
    mentions: mentions.length > 0 ? mentions.map(({ pn }) => pn) : undefined,
    mentionsAll: nonJidMentions === 1 && to.kind === 'group' ? true : undefined,
    linkPreview: matchedText ? { title: String(title), description: String(description) } : undefined,
  };
}

type TextDetails = Pick<PhoneMessage, 'isForwarded' | 'messageTimer' | 'mentions' | 'mentionsAll' | 'linkPreview'>;
type TypedContentView = Pick<PhoneMessage, 'location' | 'contacts' | 'poll'>;

/** What a phone shows of such a message. */
export function typedContentView({
  type,
  body,
  fields = {},
}: Pick<Message, 'type' | 'body' | 'fields'>): TypedContentView {
  switch (type) {
    case 'location': {
      const [name, address] = String(fields.loc ?? '').split('\n');
      const place = { latitude: Number(fields.lat) || 0, longitude: Number(fields.lng) || 0 };
      return { location: { ...place, name: name || undefined, address: address || undefined } };
    }
    case 'vcard':
      return { contacts: [{ name: String(fields.vcardFormattedName), vcard: body }] };
    case 'multi_vcard': {
      const list = (fields.vcardList ?? []) as readonly { readonly displayName: string; readonly vcard: string }[];
      return { contacts: list.map(({ displayName: name, vcard }) => ({ name, vcard })) };
    }
    case 'poll_creation': {
      const options = (fields.pollOptions ?? []) as readonly { readonly name: string }[];
      return {
        poll: {
          question: String(fields.pollName),
          options: options.map(({ name }) => name),
          multiple: fields.pollSelectableOptionsCount !== 1,
        },
      };
    }
    default:
      return {};
  }
}
