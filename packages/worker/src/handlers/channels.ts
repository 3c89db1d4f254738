import { type Channel, channel, type channelOperations, cutText, GatewayError, LIMITS } from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import { readableMessage } from '../client/resources.ts';
import type { ChannelModel } from '../page/channels.ts';
import { readMessage } from './sending.ts';

export function channelHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof channelOperations> {
  return {
    listChannels: async (_, { time }) =>
      (await page.read(time.rest(), 'listChannels')).flatMap((model) => shown(model) ?? []),

    getChannel: async ({ channelId }, { time }) => {
      const read = shown(await page.read(time.rest(), 'getChannel', channelId));
      if (read) return read;
      throw new GatewayError('client_failed', 'the web client returned an invalid channel');
    },

    listChannelMessages: async ({ channelId, limit }, { time }) => {
      const read = await page.read(time.rest(), 'listChannelMessages', channelId, limit, time.step('inPage'));
      return read.flatMap((model) => readableMessage(model) ?? []);
    },

    followChannel: async ({ channelId }, { time }) => {
      await page.change(time.rest(), 'followChannel', channelId);
      return { channelId, following: true };
    },

    unfollowChannel: async ({ channelId }, { time }) => {
      await page.change(time.rest(), 'unfollowChannel', channelId);
      return { channelId, following: false };
    },

    postToChannel: async ({ channelId, body }, { time }) => {
      const sent = readMessage(await page.change(time.rest(), 'postToChannel', channelId, body));
      return sent.ack === 0 ? { ...sent, ack: 1 } : sent;
    },
  };
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
