import { type Channel, channel, type channelOperations, cutText, GatewayError, LIMITS } from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import { readableMessage } from '../client/resources.ts';
import type { ChannelModel } from '../page/channels.ts';
import { type CodeAndText, refusedBy, unlessRefused } from './refusals.ts';
import { readMessage } from './sending.ts';

const NO_CHANNEL: CodeAndText = ['chat_not_found', 'there is no such channel, or the account does not follow it'];
/** Refusals because of the channel, by the network's code. */
const CLOSED: Readonly<Record<number, string>> = {
  405: 'the channel is closed',
  419: 'the channel has reached its limit of followers',
  423: 'the channel is suspended',
  451: 'the channel is not available in the country of the account',
};

export function channelHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof channelOperations> {
  return {
    listChannels: async (_, { time }) =>
      (await page.read(time.rest(), 'listChannels')).flatMap((model) => shown(model) ?? []),

    getChannel: async ({ channelId }, { time }) => {
      const model = await page.read(time.rest(), 'readChannel', channelId);
      const read = shown(unlessRefused(model, { no_channel: NO_CHANNEL }, refusedByChannel));
      if (read) return read;
      throw new GatewayError('client_failed', 'the web client returned an invalid channel');
    },

    listChannelMessages: async ({ channelId, limit }, { time }) => {
      const read = await page.read(time.rest(), 'listChannelMessages', channelId, limit, time.step('inPage'));
      return unlessRefused(read, { no_channel: NO_CHANNEL }).flatMap((model) => readableMessage(model) ?? []);
    },

    followChannel: async ({ channelId }, { time }) => {
      unlessRefused(
        await page.change(time.rest(), 'followChannel', channelId),
        { no_channel: NO_CHANNEL, unknown: unknownWhether('followed') },
        refusedByChannel,
      );
      return { channelId, following: true };
    },

    unfollowChannel: async ({ channelId }, { time }) => {
      unlessRefused(
        await page.change(time.rest(), 'unfollowChannel', channelId),
        {
          no_channel: NO_CHANNEL,
          own: ['not_permitted', 'the account owns that channel'],
          unknown: unknownWhether('still followed'),
        },
        refusedByChannel,
      );
      return { channelId, following: false };
    },

    postToChannel: async ({ channelId, body }, { time }) => {
      const posted = unlessRefused(
        await page.change(time.rest(), 'postToChannel', channelId, body),
        {
          no_channel: NO_CHANNEL,
          not_admin: ['not_permitted', 'the account neither owns nor administers that channel'],
        },
        refusedByChannel,
      );
      if (!posted)
        throw new GatewayError('outcome_unknown', 'the web client did not report whether the text was posted');
      const sent = readMessage(posted.message);
      return sent.ack === 0 ? { ...sent, ack: 1 } : sent;
    },
  };
}

function unknownWhether(state: string): CodeAndText {
  return ['outcome_unknown', `the web client did not report whether the channel is ${state}`];
}

function refusedByChannel(code: number): GatewayError {
  if (code === 404) return new GatewayError(...NO_CHANNEL);
  const why = CLOSED[code];
  return why ? new GatewayError('not_permitted', `${why} (code ${code})`) : refusedBy(code);
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
