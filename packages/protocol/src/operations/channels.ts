import * as v from 'valibot';
import { exampleChannel, exampleOwnChannel, exampleSession } from '../examples.ts';
import { channelId, channelKey, sessionId } from '../ids.ts';
import { listOf, MAX_TEXT_LENGTH, networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { wholeNumber } from '../query.ts';
import { channel, message } from '../resources.ts';
import { CHAT_CHANGE_ERRORS, changing, longList, ofSession, READ_ERRORS, reading } from './common.ts';

const MAX_MESSAGES = 100;

const ofChannel = v.object({ id: sessionId, channelId });
const body = v.pipe(
  v.string(),
  v.check((written) => written.trim() !== '', 'must not be empty or blank'),
  v.maxLength(MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters`),
);

const changingChannel = { ...changing, params: ofChannel, errors: CHAT_CHANGE_ERRORS, timeoutMs: 60_000 } as const;

export const channelOperations = {
  listChannels: {
    ...reading,
    summary: 'List the channels that the account follows, owns or administers',
    path: '/sessions/:id/channels',
    params: ofSession,
    ...longList(channel),
    examples: { all: exampleSession },
  },
  getChannel: {
    ...reading,
    summary: 'Get a channel, by its id or by the code in its link, whether the account follows it or not',
    path: '/sessions/:id/channels/:channelId',
    params: v.object({ id: sessionId, channelId: channelKey }),
    answer: channel,
    errors: [...READ_ERRORS, 'chat_not_found', 'not_permitted'],
    examples: { byId: exampleChannel },
  },
  listChannelMessages: {
    ...reading,
    summary: 'List the newest messages of a channel that the account follows, oldest first',
    path: '/sessions/:id/channels/:channelId/messages',
    params: ofChannel,
    query: v.strictObject({ limit: v.optional(wholeNumber(1, MAX_MESSAGES), 50) }),
    answer: listOf(message, MAX_MESSAGES),
    row: message,
    errors: [...READ_ERRORS, 'chat_not_found'],
    examples: { newest: { ...exampleOwnChannel, limit: 20 } },
  },
  followChannel: {
    ...changingChannel,
    summary: 'Follow a channel',
    path: '/sessions/:id/channels/:channelId/follow',
    answer: v.object({ channelId: networkId, following: v.literal(true) }),
    examples: { one: exampleChannel },
  },
  unfollowChannel: {
    ...changingChannel,
    summary: 'Unfollow a channel',
    path: '/sessions/:id/channels/:channelId/unfollow',
    answer: v.object({ channelId: networkId, following: v.literal(false) }),
    examples: { one: exampleChannel },
  },
  postToChannel: {
    ...changingChannel,
    summary: 'Post a text to a channel that the account owns or administers; returns once the network has it',
    path: '/sessions/:id/channels/:channelId/messages',
    body: v.strictObject({ body }),
    keyed: { choosesMessageId: () => false },
    answer: message,
    examples: { text: { ...exampleOwnChannel, body: 'Closed on Monday' } },
  },
} as const satisfies Record<string, Operation>;
