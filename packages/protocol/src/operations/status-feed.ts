import * as v from 'valibot';
import { EXAMPLE_PNG, exampleIds, exampleSession } from '../examples.ts';
import { listOf, networkId } from '../limits.ts';
import { fromOnePlace, mediaFields } from '../media.ts';
import type { Operation } from '../operation.ts';
import { message, personStatuses } from '../resources.ts';
import { CHANGE_ERRORS, changing, changingMessage, ofSession, reading } from './common.ts';

const MAX_PEOPLE = 1_000;

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

const text = v.strictObject({
  type: v.literal('text'),
  body: v.pipe(
    v.string(),
    v.check((written) => written.trim() !== '', 'must not be empty or blank'),
    v.maxLength(700, 'must be at most 700 characters'),
  ),
  options: v.optional(v.strictObject({ backgroundColor, font })),
  backgroundColor,
  font,
});

const media = v.pipe(v.strictObject({ type: v.picklist(['image', 'video']), ...mediaFields }), fromOnePlace());

export const statusFeedOperations = {
  postStatus: {
    ...changing,
    summary: 'Post to the status feed; `backgroundColor` and `font` may be in `options` or beside it',
    path: '/sessions/:id/status',
    params: ofSession,
    body: v.variant('type', [text, media]),
    // The page makes the ids of texts itself.
    keyed: { choosesMessageId: ({ type }) => type !== 'text' },
    answer: message,
    errors: [...CHANGE_ERRORS, 'media_unavailable', 'not_permitted'],
    timeoutMs: 120_000,
    examples: {
      text: { ...exampleSession, type: 'text', body: 'Good morning', backgroundColor: '#128C7E', font: 1 },
      image: { ...exampleSession, type: 'image', base64: EXAMPLE_PNG, caption: 'Small' },
    },
  },
  listStatuses: {
    ...reading,
    summary: "List other people's statuses of the last 24 hours, grouped by person",
    path: '/sessions/:id/statuses',
    params: ofSession,
    answer: listOf(personStatuses, MAX_PEOPLE),
    row: personStatuses,
    examples: { all: exampleSession },
  },
  markStatusSeen: {
    ...changingMessage,
    summary: "Mark another person's status as seen; sends a read receipt, unless the account has turned them off",
    path: '/sessions/:id/status/:messageId/seen',
    answer: v.object({ id: networkId, seen: v.literal(true) }),
    examples: { one: { ...exampleSession, messageId: exampleIds.status } },
  },
} as const satisfies Record<string, Operation>;
