import type { HandlerInput, Operations } from '@chat-web/protocol';
import type { SendOptions } from '../page/messages.ts';
import { vcardOf } from './vcard.ts';

/** The account's phone makes previews of links, and may be off: then the text is sent without. */
const PREVIEW_TIMEOUT_MS = 5_000;

/** What is sent as it is written, without a file. */
export type PlainInput = Extract<
  HandlerInput<Operations['sendMessage']>,
  { readonly type: 'text' | 'location' | 'contact' | 'poll' }
>;

/** A message for the page: its text, and what else it consists of, by the page's names. */
interface Content {
  readonly text: string;
  readonly options: SendOptions;
}

/** What the page is to send. Not with the library's options for places and cards: these ask the page for people. */
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
      // The library makes the secret by which votes are encrypted.
      return { text: '', options: { poll: { pollName, pollOptions, options: { allowMultipleAnswers: multiple } } } };
    }
  }
}

/** Whom a text or a caption mentions. */
export interface Mentioning {
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
}

/** The same for the page. */
export function mentionsOf({ mentions, mentionAll }: Mentioning): Pick<SendOptions, 'mentions' | 'mentionAll'> {
  return { mentions, mentionAll };
}
