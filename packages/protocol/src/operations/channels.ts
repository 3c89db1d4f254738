import * as v from 'valibot';
import { channelId, channelKey, sessionId } from '../ids.ts';
import { LIMITS, listOf, MAX_TEXT_LENGTH, networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { wholeNumber } from '../query.ts';
import { channel, message } from '../resources.ts';
import { CHAT_CHANGE_ERRORS, ofSession, READ_ERRORS } from './common.ts';

/** The most messages of a channel that are listed. */
const MOST_MESSAGES = 100;

const ofChannel = v.object({ id: sessionId, channelId });
const body = v.pipe(
  v.string(),
  v.check((written) => written.trim() !== '', 'must not be empty or blank'),
  v.maxLength(MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters`),
);

/** Operations on channels: the session's worker answers them. */
export const channelOperations = {
  listChannels: {
    summary: 'List the channels that the account follows, owns or administers',
    method: 'GET',
    path: '/sessions/:id/channels',
    scope: 'read',
    params: ofSession,
    answer: listOf(channel, LIMITS.listed),
    errors: READ_ERRORS,
    timeoutMs: 30_000,
  },
  getChannel: {
    summary: 'Get a channel, by its id or by the code in its link, whether the account follows it or not',
    method: 'GET',
    path: '/sessions/:id/channels/:channelId',
    scope: 'read',
    params: v.object({ id: sessionId, channelId: channelKey }),
    answer: channel,
    errors: [...READ_ERRORS, 'chat_not_found', 'not_permitted'],
    timeoutMs: 30_000,
  },
  listChannelMessages: {
    summary: 'List the newest messages of a channel that the account follows, oldest first',
    method: 'GET',
    path: '/sessions/:id/channels/:channelId/messages',
    scope: 'read',
    params: ofChannel,
    query: v.strictObject({ limit: v.optional(wholeNumber(1, MOST_MESSAGES), 50) }),
    answer: listOf(message, MOST_MESSAGES),
    errors: [...READ_ERRORS, 'chat_not_found'],
    timeoutMs: 30_000,
  },
  followChannel: {
    summary: 'Follow a channel',
    method: 'POST',
    path: '/sessions/:id/channels/:channelId/follow',
    scope: 'send',
    params: ofChannel,
    answer: v.object({ channelId: networkId, following: v.literal(true) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
  unfollowChannel: {
    summary: 'Unfollow a channel',
    method: 'POST',
    path: '/sessions/:id/channels/:channelId/unfollow',
    scope: 'send',
    params: ofChannel,
    answer: v.object({ channelId: networkId, following: v.literal(false) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
  postToChannel: {
    summary: 'Post a text to a channel that the account owns or administers; returns once the network has it',
    method: 'POST',
    path: '/sessions/:id/channels/:channelId/messages',
    scope: 'send',
    params: ofChannel,
    body: v.object({ body }),
    keyed: { choosesMessageId: () => false },
    answer: message,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
} as const satisfies Record<string, Operation>;
