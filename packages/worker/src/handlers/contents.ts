import type { HandlerInput, Operations } from '@chat-web/protocol';
import type { SendOptions } from '../page/messages.ts';
import { vcardOf } from './vcard.ts';

/** The account's phone makes link previews, and may be off: the text is then sent without one. */
const PREVIEW_TIMEOUT_MS = 5_000;

/** Messages without a file. */
export type PlainInput = Extract<
  HandlerInput<Operations['sendMessage']>,
  { readonly type: 'text' | 'location' | 'contact' | 'poll' }
>;

/** A message for the page: its text, and its other fields by the page's names. */
interface Content {
  readonly text: string;
  readonly options: SendOptions;
}

/**
 * The content to send. Does not use the library's options for locations and cards, which look up people in the page.
 */
export function contentOf(input: PlainInput): Content {
  switch (input.type) {
    case 'text':
      return {
        text: input.body,
        options: { previewMs: input.linkPreview === false ? undefined : PREVIEW_TIMEOUT_MS, ...mentionsOf(input) },
      };
    case 'location': {
      const { latitude: lat, longitude: lng, name, address } = input;
      // The name is the first line, the address the second.
      const loc = name === undefined && address === undefined ? undefined : [name, address].join('\n').trimEnd();
      return { text: '', options: { fields: { type: 'location', lat, lng, loc } } };
    }
    case 'contact': {
      const vcardList = input.contacts.map((contact) => ({ displayName: contact.name, vcard: vcardOf(contact) }));
      const [first] = vcardList;
      if (vcardList.length > 1 || !first)
        return { text: '', options: { fields: { type: 'multi_vcard', body: null, vcardList } } };
      return { text: first.vcard, options: { fields: { type: 'vcard', vcardFormattedName: first.displayName } } };
    }
    case 'poll': {
      const { question: pollName, options, multiple } = input;
      const pollOptions = options.map((name, localId) => ({ name, localId }));
      // The library generates the secret that encrypts the votes.
      return { text: '', options: { poll: { pollName, pollOptions, options: { allowMultipleAnswers: multiple } } } };
    }
  }
}

/** The mentions in a text or caption. */
export interface Mentioning {
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
}

/** The mentions, as options for the page. */
export function mentionsOf({ mentions, mentionAll }: Mentioning): Pick<SendOptions, 'mentions' | 'mentionAll'> {
  return { mentions, mentionAll };
}
