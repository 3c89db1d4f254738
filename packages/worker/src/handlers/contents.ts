import type { HandlerInput, Operations } from '@chat-web/protocol';
import type { CallTime } from '../call-time.ts';
import type { SendOptions } from '../page/messages.ts';

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
export function contentOf(input: PlainInput, time: CallTime): Content {
  switch (input.type) {
    case 'text':
      return {
        text: input.body,
        options: { previewMs: input.linkPreview === false ? undefined : time.step('preview'), ...mentionsOf(input) },
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

export interface Mentioning {
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
}

export function mentionsOf({ mentions, mentionAll }: Mentioning): Pick<SendOptions, 'mentions' | 'mentionAll'> {
  return { mentions, mentionAll };
}

interface CardContact {
  readonly name: string;
  /** `<digits>@c.us` */
  readonly number: string;
  readonly organization?: string | undefined;
}

/**
 * The card of a person, as the network's own clients write it: with `waid`, so that a phone offers to write to that
 * person. Not with a library: vcard-creator, the best maintained one, writes parameters in capitals, has none for
 * `waid`, and does not escape a lone carriage return. Backslashes, semicolons and commas are escaped.
 */
export function vcardOf({ name, number, organization }: CardContact): string {
  const digits = number.replace(/\D/g, '');
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escaped(name)};;;`,
    `FN:${escaped(name)}`,
    ...(organization === undefined ? [] : [`ORG:${escaped(organization)}`]),
    `TEL;type=CELL;waid=${digits}:+${digits}`,
    'END:VCARD',
  ].join('\n');
}

/** The request's schema rejects line breaks; if one still gets here, it cannot start a new line. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\\;,]/g, '\\$&');
}
