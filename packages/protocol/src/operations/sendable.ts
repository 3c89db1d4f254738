import * as v from 'valibot';
import { contactId, messageId, recipient, STATUS_FEED } from '../ids.ts';
import { itemsOf, oneLine } from './common.ts';

/** As many as phones let their users share at once, and choose from. */
const MAX_CONTACTS = 20;
const MAX_OPTIONS = 12;
/** As many as a group has members. */
const MAX_MENTIONS = 1_024;

/** Whom a text or a caption mentions. */
export const mentionFields = {
  /** People whose `@<digits>` in the text becomes their name. */
  mentions: v.optional(itemsOf(contactId, MAX_MENTIONS)),
  /** Everybody in the group is notified. */
  mentionAll: v.optional(v.boolean()),
};

/** How a message is sent into a chat. */
export const sendFields = {
  quotedMessageId: v.optional(messageId),
  /** False: the chat stays as unread as it is, and no read receipts are sent. Default: true, as in the web client. */
  markRead: v.optional(v.boolean()),
};

/** How media are shown, beside their kind. */
export const mediaFlags = {
  /** Audio as a voice note. */
  voice: v.optional(v.boolean()),
  /** A video as a GIF: it plays by itself, without sound. */
  gif: v.optional(v.boolean()),
  /** A video as a video note, which phones show as a circle. */
  note: v.optional(v.boolean()),
  /** An image or a video that can be opened once. */
  viewOnce: v.optional(v.boolean()),
};

const FLAGGED = { voice: ['audio'], gif: ['video'], note: ['video'], viewOnce: ['image', 'video'] } as const;
/** What phones have no place for in a video note. */
const NOT_IN_NOTES = ['caption', 'gif', 'viewOnce'] as const;
type Flag = keyof typeof FLAGGED;
interface Flagged extends Readonly<Partial<Record<Flag, boolean | undefined>>> {
  readonly type: string;
  readonly to: string;
}

/** The rules of these; name the field. */
export function flagsOfTheirKind<T extends Flagged>() {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = { ...dataset.value } as Record<string, unknown>;
    const refuse = (key: string, message: string) =>
      addIssue({ message, path: [{ type: 'object', origin: 'value', input, key, value: input[key] }] });
    const isNote = input.type === 'video' && input.note === true;
    for (const key of isNote ? NOT_IN_NOTES : []) if (input[key]) refuse(key, 'must not be given with note');
    for (const [key, kinds] of Object.entries(FLAGGED)) {
      const isRight = (kinds as readonly unknown[]).includes(input.type) && input.to !== STATUS_FEED;
      if (input[key] && !isRight) refuse(key, `is for ${kinds.join(' and ')} in chats`);
    }
  });
}

interface Mentioning {
  readonly to: string;
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
}

/** The rule of everything that may mention people; names the field. */
export function mentionsWherePossible<T extends Mentioning>() {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const input = { ...value } as Record<string, unknown>;
    const refuse = (key: 'mentions' | 'mentionAll', message: string) =>
      addIssue({ message, path: [{ type: 'object', origin: 'value', input, key, value: value[key] }] });
    if (value.mentionAll && !value.to.endsWith('@g.us')) refuse('mentionAll', 'is for groups only');
    if (value.mentions?.length && value.to === STATUS_FEED) refuse('mentions', 'a status cannot mention anyone');
  });
}

const degrees = (max: number) =>
  v.pipe(
    v.number(),
    v.minValue(-max, `must be from -${max} to ${max}`),
    v.maxValue(max, `must be from -${max} to ${max}`),
  );

/** Everything that can be sent but to the status feed. */
const chat = v.pipe(
  recipient,
  v.check((to) => to !== STATUS_FEED, 'the status feed accepts texts, images and videos'),
);
const toChat = { to: chat, ...sendFields };

export const location = v.strictObject({
  type: v.literal('location'),
  ...toChat,
  latitude: degrees(90),
  longitude: degrees(180),
  name: v.optional(oneLine(255)),
  address: v.optional(oneLine(1_000)),
});

/** Contact cards: of one person, or of some in one message. */
export const contacts = v.strictObject({
  type: v.literal('contact'),
  ...toChat,
  contacts: v.pipe(
    itemsOf(
      v.strictObject({ name: oneLine(255), number: contactId, organization: v.optional(oneLine(255)) }),
      MAX_CONTACTS,
    ),
    v.minLength(1, 'must name at least one contact'),
  ),
});

/** A question with the answers to choose from. */
export const poll = v.strictObject({
  type: v.literal('poll'),
  ...toChat,
  question: oneLine(255),
  options: v.pipe(
    itemsOf(v.pipe(oneLine(100), v.trim()), MAX_OPTIONS),
    v.minLength(2, 'must have at least 2 items'),
    v.check((options) => new Set(options).size === options.length, 'must differ from each other'),
  ),
  /** Whether a person may choose more than one. */
  multiple: v.optional(v.boolean(), false),
});
