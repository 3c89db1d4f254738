import * as v from 'valibot';
import { messageId, recipient, STATUS_FEED } from '../ids.ts';
import { MAX_TEXT_LENGTH, networkId, writtenText } from '../limits.ts';
import { fromOnePlace, mediaFields, mediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { message } from '../resources.ts';
import { MESSAGE_CHANGE_ERRORS, ofMessage, ofSession, READ_ERRORS, SEND_ERRORS } from './common.ts';
import {
  contacts,
  flagsOfTheirKind,
  location,
  mediaFlags,
  mentionFields,
  mentionsWherePossible,
  poll,
} from './sendable.ts';

/** The rule of every send that may quote. */
function noQuoteInStatus<T extends { readonly to: string; readonly quotedMessageId?: string | undefined }>() {
  return v.check<T, string>(
    ({ to, quotedMessageId }) => !(to === STATUS_FEED && quotedMessageId),
    'a status quotes nothing',
  );
}

const textBody = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters`),
);

const text = v.pipe(
  v.object({
    type: v.literal('text'),
    to: recipient,
    body: textBody,
    quotedMessageId: v.optional(messageId),
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
  v.object({
    type: v.picklist(['image', 'video', 'audio', 'document', 'sticker']),
    to: recipient,
    ...mediaFields,
    quotedMessageId: v.optional(messageId),
    ...mentionFields,
    ...mediaFlags,
  }),
  fromOnePlace(),
  mentionsWherePossible(),
  flagsOfTheirKind(),
  v.check(
    ({ type, to }) => to !== STATUS_FEED || type === 'image' || type === 'video',
    'the status feed takes texts, images and videos',
  ),
  noQuoteInStatus(),
);

/** Emoji of the Unicode standard, also without the variation selector for colour. */
const ONE_EMOJI = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v;

const reaction = v.object({
  type: v.literal('reaction'),
  messageId,
  /** Empty to take the reaction back. */
  emoji: v.pipe(
    v.string(),
    v.check((emoji) => emoji === '' || ONE_EMOJI.test(emoji), 'must be one emoji, or empty'),
  ),
});

/** The answer to a reaction: `id` and `messageId` both name the message reacted to. */
const reactionAnswer = v.object({ id: networkId, messageId: networkId, emoji: writtenText(100) });

/** Operations on messages: the session's worker answers them. */
export const messageOperations = {
  sendMessage: {
    summary: 'Send a text, media, a location, contacts, a poll or a reaction; returns once the network has it',
    method: 'POST',
    path: '/sessions/:id/messages',
    scope: 'send',
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
  },
  editMessage: {
    summary: 'Edit a sent message, for about 15 minutes',
    method: 'POST',
    path: '/sessions/:id/messages/:messageId/edit',
    scope: 'send',
    params: ofMessage,
    // The page trims an edit, and would empty the message with a blank one.
    body: v.object({
      body: v.pipe(textBody, v.trim(), v.minLength(1, 'must not be blank')),
      /** Without it, those whom the message mentions stay mentioned where the new text has them. */
      mentions: mentionFields.mentions,
    }),
    answer: message,
    errors: [...MESSAGE_CHANGE_ERRORS, 'edit_window_closed'],
    timeoutMs: 30_000,
  },
  deleteMessage: {
    summary: 'Delete a message for everyone, or, after about an hour, only for this account; the response says which',
    method: 'POST',
    path: '/sessions/:id/messages/:messageId/delete',
    scope: 'send',
    params: ofMessage,
    body: v.object({ forEveryone: v.boolean() }),
    answer: v.object({ id: networkId, deletedFor: v.picklist(['everyone', 'me']) }),
    errors: MESSAGE_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
  getMedia: {
    summary: "Get the media of a message, with the sender's MIME type",
    method: 'GET',
    path: '/sessions/:id/messages/:messageId/media',
    scope: 'read',
    params: ofMessage,
    answer: mediaFile,
    errors: [...READ_ERRORS, 'message_not_found', 'media_not_found', 'media_unavailable'],
    timeoutMs: 120_000,
  },
} as const satisfies Record<string, Operation>;
