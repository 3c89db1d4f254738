import * as v from 'valibot';
import { listOf, networkId } from '../limits.ts';
import { fromOnePlace, mediaFields } from '../media.ts';
import type { Operation } from '../operation.ts';
import { message, personStatuses } from '../resources.ts';
import { CHANGE_ERRORS, MESSAGE_CHANGE_ERRORS, ofMessage, ofSession, READ_ERRORS } from './common.ts';

/** People whose statuses are listed. */
const MOST_PEOPLE = 1_000;

const backgroundColor = v.optional(
  v.pipe(v.string(), v.regex(/^#[0-9A-Fa-f]{6}$/, 'must be a colour in the form #RRGGBB')),
);
const font = v.optional(
  v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(0, 'must be 0 to 7'),
    v.maxValue(7, 'must be 0 to 7'),
  ),
);

const text = v.object({
  type: v.literal('text'),
  body: v.pipe(
    v.string(),
    v.check((written) => written.trim() !== '', 'must not be empty or blank'),
    v.maxLength(700, 'must be at most 700 characters'),
  ),
  options: v.optional(v.object({ backgroundColor, font })),
  backgroundColor,
  font,
});

const media = v.pipe(v.object({ type: v.picklist(['image', 'video']), ...mediaFields }), fromOnePlace());

/** Operations on the status feed: the session's worker answers them. */
export const statusFeedOperations = {
  postStatus: {
    summary: 'Post to the status feed; `backgroundColor` and `font` may be in `options` or beside it',
    method: 'POST',
    path: '/sessions/:id/status',
    scope: 'send',
    params: ofSession,
    body: v.variant('type', [text, media]),
    // The page makes the ids of texts itself.
    keyed: { choosesMessageId: ({ type }) => type !== 'text' },
    answer: message,
    errors: [...CHANGE_ERRORS, 'media_unavailable'],
    timeoutMs: 120_000,
  },
  listStatuses: {
    summary: "List other people's statuses of the last 24 hours, grouped by person",
    method: 'GET',
    path: '/sessions/:id/statuses',
    scope: 'read',
    params: ofSession,
    answer: listOf(personStatuses, MOST_PEOPLE),
    errors: READ_ERRORS,
    timeoutMs: 30_000,
  },
  markStatusSeen: {
    summary: "Mark another person's status as seen; sends a read receipt, unless the account has turned them off",
    method: 'POST',
    path: '/sessions/:id/status/:messageId/seen',
    scope: 'send',
    params: ofMessage,
    answer: v.object({ id: networkId, seen: v.literal(true) }),
    errors: MESSAGE_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
