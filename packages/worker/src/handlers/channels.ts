import { type Channel, channel, type channelOperations, cutText, LIMITS } from '@chat-web/protocol';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { readableMessage } from '../client/resources.ts';
import { requireValid, validRows } from '../client/schemas.ts';
import type { ChannelModel } from '../page/channels.ts';
import { readMessage } from './sending.ts';

export function channelHandlers({ page }: HandlerDependencies): WorkerHandlers<keyof typeof channelOperations> {
  return {
    listChannels: async (_, { time }) =>
      validRows(channel, (await page.read(time.rest(), 'listChannels')).map(toChannel)),

    getChannel: async ({ channelId }, { time }) =>
      requireValid(channel, toChannel(await page.read(time.rest(), 'getChannel', channelId)), 'channel'),

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

/** A channel of the API, which may be invalid. */
function toChannel({
  id,
  name,
  description,
  role,
  followers,
  inviteCode,
  isVerified,
}: ChannelModel): Partial<Record<keyof Channel, unknown>> {
  return {
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
}
