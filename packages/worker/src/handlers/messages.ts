import { type forwardingOperations, type messageOperations, STATUS_FEED } from '@chat-web/protocol';
import type { CallTime } from '../call-time.ts';
import type { Call, HandlerContext, WorkerHandlers } from '../client/port.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import { BLOCKED, IGNORED, NO_MESSAGE, refusedBy, unlessRefused } from './refusals.ts';
import { check, confirmed, once, readMessage, rethrowUnsent, sendLimits, sendMedia, sendPlain } from './sending.ts';
import { postText } from './status-feed.ts';

export function messageHandlers(context: HandlerContext): WorkerHandlers<keyof typeof messageOperations> {
  const { page } = context;
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
          const { messageId, emoji } = input;
          unlessRefused(await page.change(call.time.step('text'), 'react', messageId, emoji), {
            no_message: NO_MESSAGE,
            blocked: BLOCKED,
            unknown: ['outcome_unknown', 'the web client did not report whether the reaction was sent'],
          });
          return { id: messageId, messageId, emoji };
        }
        default:
          return sendMedia(context, input, call);
      }
    },

    editMessage: async ({ messageId, body, mentions }, { time }) => {
      const edited = unlessRefused(await page.change(time.rest(), 'editMessage', messageId, body, mentions), {
        no_message: NO_MESSAGE,
        not_mine: ['not_permitted', 'only messages that this account sent can be edited'],
        not_editable: ['not_permitted', 'this message cannot be edited'],
        too_late: ['edit_window_closed', 'the message is too old to be edited'],
        unknown: ['outcome_unknown', 'the web client did not report whether the message was edited'],
      });
      return { ...readMessage(edited), body };
    },

    deleteMessage: async ({ messageId, forEveryone }, { time }) => {
      const deletedFor = unlessRefused(await page.change(time.rest(), 'deleteMessage', messageId, forEveryone), {
        no_message: NO_MESSAGE,
        not_mine: ['not_permitted', 'the status of another account cannot be deleted'],
        only_for_everyone: ['not_permitted', 'a status can only be deleted for everyone'],
        ignored: IGNORED,
        unknown: ['outcome_unknown', 'the web client did not report whether the message was deleted for everyone'],
      });
      return { id: messageId, deletedFor };
    },

    getMedia: async ({ messageId }, { time }) => {
      const limits = [time.rest(), 'loadMedia', messageId, time.step('ownDownload')] as const;
      const taken = await takeFromPage(context, 'application/octet-stream', ...limits);
      if (taken === 'later') throw refusedBy(429);
      return unlessRefused(taken, {
        no_message: NO_MESSAGE,
        no_media: ['media_not_found', 'the message has no media'],
        unfinished: ['client_failed', 'the page is still downloading the media; retry later'],
        gone: ['media_not_found', 'the network does not have the media: they have expired, or are not uploaded yet'],
      });
    },
  };
}

export function forwardingHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof forwardingOperations> {
  const load = async (messageId: string, time: CallTime) => {
    const loading = page.read(time.rest('forward'), 'loadForward', messageId, time.step('download', 'forward'));
    return unlessRefused(await loading.catch(rethrowUnsent), {
      ...UNFORWARDABLE,
      gone: ['media_not_found', 'the network no longer has the media of that message'],
      not_downloaded: ['client_failed', 'the page could not download the file in time; nothing was sent'],
    });
  };
  const forward = async (messageId: string, to: string, call: Call) => {
    const { time } = call;
    // Checks the message first: the check of the recipient may open a chat.
    const seen = await page.read(time.step('check'), 'checkForward', messageId).catch(rethrowUnsent);
    const found = unlessRefused(seen, UNFORWARDABLE);
    const finding = found === 'not_loaded' ? await load(messageId, time) : found;
    await check(page, to, undefined, time);
    const limits = sendLimits(call, time.rest(), finding === 'file' ? 'fileAck' : 'textAck');
    const answer = unlessRefused(await page.send(limits, 'forwardMessage', messageId, to), {
      ...UNFORWARDABLE,
      blocked: BLOCKED,
      not_handed: ['client_failed', 'the page could not prepare the message; nothing was sent'],
    });
    return confirmed(page, answer);
  };
  return {
    forwardMessage: ({ messageId, to }, call) => once(page, to, call, () => forward(messageId, to, call)),
  };
}

const UNFORWARDABLE = {
  no_message: NO_MESSAGE,
  not_forwardable: ['not_permitted', 'messages of this kind cannot be forwarded'],
} as const;
