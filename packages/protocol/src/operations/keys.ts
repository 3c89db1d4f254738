import * as v from 'valibot';
import { recipientPattern, sessionPattern } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { keyScope, scope } from '../scope.ts';
import { isoTime, writtenTime } from '../times.ts';
import { SECOND_MS } from '../units.ts';
import { itemsOf } from './common.ts';

const MAX_PATTERNS = 100;
const ONLY_TO_SEND = 'is only for keys with scope send';
const maxSessions = v.optional(
  v.pipe(v.number(), v.integer(), v.minValue(1, 'must be at least 1'), v.maxValue(10_000, 'must be at most 10000')),
);
const sendsPerHour = maxSessions;

/** A key, without its secret. Times are ISO 8601. */
export const keyView = v.object({
  id: v.string(),
  name: v.string(),
  sessions: v.array(v.string()),
  scope: keyScope,
  createdAt: isoTime,
  expiresAt: v.optional(isoTime),
  maxSessions,
  recipients: v.optional(v.array(v.string())),
  sendsPerHour,
});
export type KeyView = v.InferOutput<typeof keyView>;

/** A misspelt field must not be ignored: it could be the one that limits the key. */
const newKey = v.pipe(
  v.strictObject({
    name: v.pipe(
      v.string(),
      v.check((written) => written.trim() !== '', 'must not be empty or blank'),
      v.maxLength(100, 'must be at most 100 characters'),
      v.regex(/^[^\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]*$/u, 'must have no control characters'),
    ),
    sessions: v.pipe(
      itemsOf(sessionPattern, MAX_PATTERNS),
      v.minLength(1, 'must name a session, or a pattern such as shop-*'),
    ),
    scope: keyScope,
    expiresAt: v.optional(
      v.pipe(
        writtenTime,
        v.check((written) => !(Date.parse(written) <= Date.now()), 'must be in the future'),
      ),
    ),
    /** It starts or imports no further session once there are so many that it covers. */
    maxSessions,
    /** Those to whom it may write; with them, it can change nothing that has no recipient. */
    recipients: v.optional(
      v.pipe(
        itemsOf(recipientPattern, MAX_PATTERNS),
        v.minLength(1, 'must name a recipient, or a pattern such as 44*'),
      ),
    ),
    /** How many messages it may send within an hour, with each of its sessions. */
    sendsPerHour,
  }),
  v.forward(
    v.check(({ scope, recipients }) => scope === 'send' || recipients === undefined, ONLY_TO_SEND),
    ['recipients'],
  ),
  v.forward(
    v.check(({ scope, sendsPerHour }) => scope === 'send' || sendsPerHour === undefined, ONLY_TO_SEND),
    ['sendsPerHour'],
  ),
);
export type NewKey = v.InferOutput<typeof newKey>;

const ofOperator = { scope: 'operator', params: v.object({}), timeoutMs: 5 * SECOND_MS } as const;

/** Operations on keys, answered by the gateway, with the operator's token only. */
export const keyOperations = {
  listKeys: {
    ...ofOperator,
    summary: 'List the keys, without their secrets',
    method: 'GET',
    path: '/keys',
    answer: v.object({ keys: v.array(keyView) }),
    errors: [],
    examples: { all: {} },
  },
  createKey: {
    ...ofOperator,
    summary: 'Create a key for some sessions; `key` is shown only this once',
    method: 'POST',
    path: '/keys',
    body: newKey,
    answer: v.object({ ...keyView.entries, key: v.string() }),
    status: 201,
    errors: ['rate_limited', 'engine_unavailable'],
    examples: {
      shop: { name: 'The shop', sessions: ['shop-*'], scope: 'send' },
      agent: {
        name: 'Assistant',
        sessions: ['shop-*'],
        scope: 'send',
        recipients: ['44*', '*@g.us'],
        sendsPerHour: 60,
      },
    },
  },
  deleteKey: {
    ...ofOperator,
    summary: 'Delete a key; it becomes invalid at once, and its streams end',
    method: 'DELETE',
    path: '/keys/:keyId',
    params: v.object({ keyId: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a key')) }),
    answer: v.object({ id: v.string(), status: v.literal('removed') }),
    errors: ['key_not_found', 'engine_unavailable'],
    examples: { known: { keyId: 'key_0a1b2c3d4e5f' } },
  },
} as const satisfies Record<string, Operation>;

/** A caller's own access. */
export const accessOperations = {
  getAccess: {
    summary: 'Get what the token or key of this request allows, and the version of the gateway',
    method: 'GET',
    path: '/access',
    scope: 'read',
    params: v.object({}),
    answer: v.object({
      /** The id of the key; `token`: the gateway's token; `open`: the gateway asks for none. */
      id: v.string(),
      scope,
      /** Sessions by their ids; `*` stands for any characters, or none. */
      sessions: v.array(v.string()),
      name: v.optional(v.string()),
      expiresAt: v.optional(isoTime),
      maxSessions,
      recipients: v.optional(v.array(v.string())),
      sendsPerHour,
      version: v.string(),
    }),
    errors: [],
    timeoutMs: 5_000,
    examples: { own: {} },
  },
} as const satisfies Record<string, Operation>;
