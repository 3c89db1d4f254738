import { type Channel, channel, cutText, GatewayError, type Handlers, LIMITS } from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext } from '../client/port.ts';
import { readableMessage } from '../client/resources.ts';
import {
  type ChannelModel,
  followChannel,
  listChannelMessages,
  listChannels,
  postToChannel,
  readChannel,
  unfollowChannel,
} from '../page/channels.ts';
import type { Refused } from '../page/window.ts';
import { readMessage, refusedBy } from './sending.ts';

const LIST_TIMEOUT_MS = 25_000;
const LOAD_TIMEOUT_MS = 20_000;
/** The page itself retries a query several times. */
const QUERY_TIMEOUT_MS = 25_000;
const CHANGE_TIMEOUT_MS = 50_000;

/** Refusals because of the channel, by the network's code. */
const CLOSED: Readonly<Record<number, string>> = {
  405: 'the channel is closed',
  419: 'the channel has reached its limit of followers',
  423: 'the channel is suspended',
  451: 'the channel is not available in the country of the account',
};

type Names = 'listChannels' | 'getChannel' | 'listChannelMessages' | 'followChannel' | 'unfollowChannel';

/** Handlers of the operations on channels. */
export function channelHandlers({ page }: HandlerContext): Handlers<Names | 'postToChannel'> {
  return {
    listChannels: async () => (await page.read(LIST_TIMEOUT_MS, listChannels)).flatMap((model) => shown(model) ?? []),

    getChannel: async ({ channelId }) => {
      const read = shown(allowed(await page.read(QUERY_TIMEOUT_MS, readChannel, channelId)));
      if (read) return read;
      throw new GatewayError('client_failed', 'the web client returned an invalid channel');
    },

    listChannelMessages: async ({ channelId, limit }) => {
      const read = await page.read(LIST_TIMEOUT_MS, listChannelMessages, channelId, limit, LOAD_TIMEOUT_MS);
      return allowed(read).flatMap((model) => readableMessage(model) ?? []);
    },

    followChannel: async ({ channelId }) => {
      const outcome = await page.change(CHANGE_TIMEOUT_MS, followChannel, channelId);
      if (outcome === 'unknown') throw unknownWhether('followed');
      allowed(outcome);
      return { channelId, following: true };
    },

    unfollowChannel: async ({ channelId }) => {
      const outcome = await page.change(CHANGE_TIMEOUT_MS, unfollowChannel, channelId);
      if (outcome === 'own') throw new GatewayError('not_permitted', 'the account owns that channel');
      if (outcome === 'unknown') throw unknownWhether('still followed');
      allowed(outcome);
      return { channelId, following: false };
    },

    postToChannel: async ({ channelId, body }) => {
      const outcome = await page.change(CHANGE_TIMEOUT_MS, postToChannel, channelId, body);
      if (outcome === 'not_admin')
        throw new GatewayError('not_permitted', 'the account neither owns nor administers that channel');
      if (!outcome)
        throw new GatewayError('outcome_unknown', 'the web client did not report whether the text was posted');
      const sent = readMessage(allowed(outcome).message);
      return sent.ack === 0 ? { ...sent, ack: 1 } : sent;
    },
  };
}

function unknownWhether(state: string): GatewayError {
  return new GatewayError('outcome_unknown', `the web client did not report whether the channel is ${state}`);
}

function allowed<T>(outcome: T | 'no_channel' | Refused): Exclude<T, 'no_channel' | Refused> {
  const unknown = () =>
    new GatewayError('chat_not_found', 'there is no such channel, or the account does not follow it');
  if (outcome === 'no_channel') throw unknown();
  if (typeof outcome === 'object' && outcome !== null && 'refused' in outcome) {
    const { refused } = outcome as Refused;
    if (refused === 404) throw unknown();
    const why = CLOSED[refused];
    throw why ? new GatewayError('not_permitted', `${why} (code ${refused})`) : refusedBy(refused);
  }
  return outcome as Exclude<T, 'no_channel' | Refused>;
}

/** A channel of the API; undefined for an invalid one. */
function shown({ id, name, description, role, followers, inviteCode, isVerified }: ChannelModel): Channel | undefined {
  const read = {
    id,
    name: cutText(String(name ?? ''), LIMITS.name),
    ...(typeof description === 'string' && description !== ''
      ? { description: cutText(description, LIMITS.body) }
      : {}),
    role,
    ...(typeof followers === 'number' ? { followers } : {}),
    ...(typeof inviteCode === 'string' ? { inviteCode } : {}),
    isVerified: isVerified === true,
  };
  return v.is(channel, read) ? read : undefined;
}
