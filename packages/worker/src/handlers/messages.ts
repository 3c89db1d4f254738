import { type forwardingOperations, type messageOperations, STATUS_FEED } from '@chat-web/protocol';
import type { CallTime } from '../call-time.ts';
import type { Call, HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { mediaDescription, takeFromPage } from '../media/incoming-media.ts';
import { UNKNOWN_TYPE } from '../media/media-types.ts';
import { check, confirmed, once, readMessage, rethrowUnsent, sendLimits, sendMedia, sendPlain } from './sending.ts';
import { postText } from './status-feed.ts';

export function messageHandlers(dependencies: HandlerDependencies): WorkerHandlers<keyof typeof messageOperations> {
  const { page } = dependencies;
  return {
    sendMessage: async (input, call) => {
      switch (input.type) {
        case 'text':
          return input.to === STATUS_FEED ? postText(page, input, call.time) : sendPlain(page, input, call);
        case 'location':
        case 'contact':
        case 'poll':
          return sendPlain(page, input, call);
        case 'reaction': {
          const { messageId, emoji, markRead } = input;
          await page.change(call.time.step('text'), 'react', messageId, emoji, markRead);
          return { id: messageId, messageId, emoji };
        }
        default:
          return sendMedia(dependencies, input, call);
      }
    },

    editMessage: async ({ messageId, body, mentions }, { time }) => ({
      ...readMessage(await page.change(time.rest(), 'editMessage', messageId, body, mentions)),
      body,
    }),

    deleteMessage: async ({ messageId, forEveryone }, { time }) => ({
      id: messageId,
      deletedFor: await page.change(time.rest(), 'deleteMessage', messageId, forEveryone, time.step('members')),
    }),

    getMedia: async ({ messageId, describe }, { time }) => {
      const described = describe ? await page.read(time.rest(), 'describeMedia', messageId) : null;
      if (described) return mediaDescription(described, UNKNOWN_TYPE);
      const limits = [time.rest(), 'loadMedia', messageId, time.step('ownDownload')] as const;
      return takeFromPage(dependencies, UNKNOWN_TYPE, ...limits);
    },
  };
}

export function forwardingHandlers({ page }: HandlerDependencies): WorkerHandlers<keyof typeof forwardingOperations> {
  const load = (messageId: string, time: CallTime) => {
    const limitMs = time.rest('forward');
    return page.read(limitMs, 'loadForward', messageId, time.step('download', 'forward')).catch(rethrowUnsent);
  };
  const forward = async (messageId: string, to: string, markRead: boolean | undefined, call: Call) => {
    const { time } = call;
    // Checks the message first: the check of the recipient may open a chat.
    const found = await page.read(time.step('check'), 'checkForward', messageId).catch(rethrowUnsent);
    const finding = found === 'not_loaded' ? await load(messageId, time) : found;
    await check(page, to, undefined, time);
    const limits = sendLimits(call, time.rest(), finding === 'file' ? 'fileAck' : 'textAck');
    return confirmed(page, await page.send(limits, 'forwardMessage', messageId, to, markRead));
  };
  return {
    forwardMessage: ({ messageId, to, markRead }, call) =>
      once(page, to, call, () => forward(messageId, to, markRead, call)),
  };
}
