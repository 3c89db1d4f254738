import * as v from 'valibot';
import { EXAMPLE_PNG, exampleIds, exampleMessage, exampleSession } from '../examples.ts';
import { messageId, recipient, STATUS_FEED } from '../ids.ts';
import { LIMITS, MAX_TEXT_LENGTH, networkId, writtenText } from '../limits.ts';
import { fromOnePlace, mediaFields, mediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { message } from '../resources.ts';
import {
  changing,
  changingMessage,
  MESSAGE_CHANGE_ERRORS,
  ofMessage,
  ofSession,
  READ_ERRORS,
  reading,
  SEND_ERRORS,
} from './common.ts';
import {
  contacts,
  flagsOfTheirKind,
  location,
  mediaFlags,
  mentionFields,
  mentionsWherePossible,
  poll,
  sendFields,
} from './sendable.ts';

/** The rule of every send that may quote. */
function noQuoteInStatus<T extends { readonly to: string; readonly quotedMessageId?: string | undefined }>() {
  return v.check<T, string>(
    ({ to, quotedMessageId }) => !(to === STATUS_FEED && quotedMessageId),
    'a status cannot quote a message',
  );
}

const textBody = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters`),
);

const text = v.pipe(
  v.strictObject({
    type: v.literal('text'),
    to: recipient,
    body: textBody,
    ...sendFields,
    ...mentionFields,
    /** Whether a link is shown with a preview, which the account's phone makes. Default: true. */
    linkPreview: v.optional(v.boolean()),
  }),
  noQuoteInStatus(),
  mentionsWherePossible(),
  v.forward(
    v.check(({ to, body }) => to !== STATUS_FEED || body.trim() !== '', 'must not be blank in the status feed'),
    ['body'],
  ),
);

const media = v.pipe(
  v.strictObject({
    type: v.picklist(['image', 'video', 'audio', 'document', 'sticker']),
    to: recipient,
    ...mediaFields,
    ...sendFields,
    ...mentionFields,
    ...mediaFlags,
  }),
  fromOnePlace(),
  mentionsWherePossible(),
  flagsOfTheirKind(),
  v.check(
    ({ type, to }) => to !== STATUS_FEED || type === 'image' || type === 'video',
    'the status feed accepts texts, images and videos',
  ),
  noQuoteInStatus(),
);

/** A pictograph in any style and skin tone: senders leave out, or misplace, the selector of the style. */
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?\ufe0f?`;
/**
 * The syntax of one emoji (UTS #51): pictographs that are joined to one, the flag of a country, a keycap, or the flag of
 * a region. Not a list of known ones: it would lack those that are newer than this Node.
 */
const ONE_EMOJI = new RegExp(
  [
    String.raw`^(?:${PICTOGRAPH}(?:\u200d${PICTOGRAPH})*`,
    String.raw`\p{Regional_Indicator}{2}`,
    String.raw`[\d#*][\ufe0e\ufe0f]?\u20e3`,
    String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{2,12}\u{e007f})$`,
  ].join('|'),
  'u',
);

const reaction = v.strictObject({
  type: v.literal('reaction'),
  messageId,
  /** Empty to take the reaction back. */
  emoji: v.pipe(
    v.string(),
    v.maxLength(LIMITS.emoji, 'must be one emoji, or empty'),
    v.check((emoji) => emoji === '' || ONE_EMOJI.test(emoji), 'must be one emoji, or empty'),
  ),
  markRead: sendFields.markRead,
});

/** The answer to a reaction: `id` and `messageId` both name the message reacted to. */
const reactionAnswer = v.object({ id: networkId, messageId: networkId, emoji: writtenText(LIMITS.emoji) });

export const messageOperations = {
  sendMessage: {
    ...changing,
    summary: 'Send a text, media, a location, contacts, a poll or a reaction; returns once the network has it',
    path: '/sessions/:id/messages',
    params: ofSession,
    body: v.variant('type', [text, media, location, contacts, poll, reaction]),
    keyed: {
      // The page makes the ids of texts in the status feed itself.
      choosesMessageId: ({ type, to }) => type !== 'reaction' && !(type === 'text' && to === STATUS_FEED),
      // A person has one reaction to a message.
      isHarmlessTwice: ({ type }) => type === 'reaction',
    },
    answer: v.union([message, reactionAnswer]),
    errors: [...SEND_ERRORS, 'media_unavailable'],
    timeoutMs: 120_000,
    tools: {
      send_text: {
        description: 'Send a text to a person or a group; with `quotedMessageId`, as a reply to a message.',
        fields: ['to', 'body', 'quotedMessageId', 'mentions'],
        fixed: { type: 'text' },
      },
      send_media: {
        description: 'Send an image, a video, audio, a document or a sticker, in base64: up to 350 KB.',
        fields: ['type', 'to', 'base64', 'mimeType', 'filename', 'caption', 'quotedMessageId'],
      },
      send_location: {
        fields: ['to', 'latitude', 'longitude', 'name', 'address'],
        fixed: { type: 'location' },
        description: 'Send a location.',
      },
      send_poll: {
        fields: ['to', 'question', 'options', 'multiple'],
        fixed: { type: 'poll' },
        description: 'Send a poll.',
      },
      react: {
        fields: ['messageId', 'emoji'],
        fixed: { type: 'reaction' },
        description: 'React to a message with an emoji; an empty one takes the reaction back.',
      },
    },
    examples: {
      text: { ...exampleSession, type: 'text', to: '+12025550102', body: 'Hello' },
      reply: {
        ...exampleSession,
        type: 'text',
        to: exampleIds.person,
        body: 'A nice picture',
        quotedMessageId: exampleIds.inboundMedia,
      },
      image: {
        ...exampleSession,
        type: 'image',
        to: exampleIds.person,
        base64: EXAMPLE_PNG,
        mimeType: 'image/png',
        filename: 'pixel.png',
        caption: 'Small',
      },
      document: {
        ...exampleSession,
        type: 'document',
        to: exampleIds.person,
        base64: 'SGVsbG8=',
        filename: 'hello.txt',
      },
      sticker: { ...exampleSession, type: 'sticker', to: exampleIds.person, base64: EXAMPLE_PNG },
      location: {
        ...exampleSession,
        type: 'location',
        to: exampleIds.person,
        latitude: 52.5163,
        longitude: 13.3777,
        name: 'Brandenburg Gate',
      },
      contact: {
        ...exampleSession,
        type: 'contact',
        to: exampleIds.person,
        contacts: [{ name: 'Carla Mendes', number: '+12025550103' }],
      },
      poll: {
        ...exampleSession,
        type: 'poll',
        to: exampleIds.group,
        question: 'When?',
        options: ['Friday', 'Saturday'],
        multiple: true,
      },
      group: { ...exampleSession, type: 'text', to: exampleIds.group, body: 'Hello all' },
      mention: {
        ...exampleSession,
        type: 'text',
        to: exampleIds.group,
        body: 'Hello @12025550102',
        mentions: [exampleIds.person],
      },
      reaction: { ...exampleSession, type: 'reaction', messageId: exampleIds.inboundMedia, emoji: '👍' },
    },
  },
  editMessage: {
    ...changingMessage,
    summary: 'Edit a sent message, for about 15 minutes',
    path: '/sessions/:id/messages/:messageId/edit',
    // The page trims an edit, and would empty the message with a blank one.
    body: v.strictObject({
      body: v.pipe(textBody, v.trim(), v.minLength(1, 'must not be blank')),
      /** Without it, those whom the message mentions stay mentioned where the new text has them. */
      mentions: mentionFields.mentions,
    }),
    keyed: { choosesMessageId: () => false, isHarmlessTwice: () => true },
    answer: message,
    errors: [...MESSAGE_CHANGE_ERRORS, 'edit_window_closed'],
    tools: { edit_message: { fields: ['messageId', 'body'], isDestructive: true } },
    examples: { typo: { ...exampleSession, messageId: exampleIds.outboundText, body: 'Hello again' } },
  },
  deleteMessage: {
    ...changingMessage,
    summary:
      'Delete a message for everyone, or, after two and a half days, only for this account; the response says which',
    path: '/sessions/:id/messages/:messageId/delete',
    body: v.strictObject({ forEveryone: v.boolean() }),
    answer: v.object({ id: networkId, deletedFor: v.picklist(['everyone', 'me']) }),
    examples: { forEveryone: { ...exampleSession, messageId: exampleIds.doomedText, forEveryone: true } },
  },
  getMedia: {
    ...reading,
    summary: "Get the media of a message, with the sender's MIME type",
    path: '/sessions/:id/messages/:messageId/media',
    params: ofMessage,
    answer: mediaFile,
    describes: true,
    errors: [...READ_ERRORS, 'message_not_found', 'media_not_found', 'media_unavailable'],
    timeoutMs: 120_000,
    tools: { get_media: { description: 'Get the media of a message, up to 4 MB.' } },
    examples: { image: exampleMessage },
  },
} as const satisfies Record<string, Operation>;

export const forwardingOperations = {
  forwardMessage: {
    ...changingMessage,
    summary: 'Forward a message to another chat; returns the new message once the network has it',
    path: '/sessions/:id/messages/:messageId/forward',
    body: v.strictObject({
      to: v.pipe(
        recipient,
        v.check((to) => to !== STATUS_FEED, 'messages are not forwarded to the status feed'),
      ),
      markRead: sendFields.markRead,
    }),
    keyed: { choosesMessageId: () => true },
    answer: message,
    errors: [...SEND_ERRORS, 'media_not_found'],
    timeoutMs: 120_000,
    tools: { forward_message: { fields: ['messageId', 'to'] } },
    examples: { picture: { ...exampleMessage, to: exampleIds.group } },
  },
} as const satisfies Record<string, Operation>;
