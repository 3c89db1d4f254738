import { cutText, LIMITS, listedReaction, listedVote, type messageQueryOperations, receipt } from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import { readableMessage, toMessage, toTime } from '../client/resources.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import type { MessagePage } from '../page/message-queries.ts';
import type { NoOlderMessages } from '../page/older-messages.ts';
import { type CodeAndText, IGNORED, NO_CHAT, NO_MESSAGE, unlessRefused } from './refusals.ts';

const PIN_NAMES: Readonly<Record<number, string>> = { 86400: 'OneDay', 604800: 'SevenDays', 2592000: 'ThirtyDays' };

/** The page's values, cut to the limits of the API; values that still do not fit are invalid. */
const reactionForm = v.pipe(
  v.object({ from: v.string(), emoji: v.pipe(v.string(), v.minLength(1)), atMs: v.number() }),
  v.transform(({ from, emoji, atMs }) => ({ from, emoji: cutText(emoji, LIMITS.emoji), at: toTime(atMs / 1_000) })),
  listedReaction,
);
const voteForm = v.pipe(
  v.object({ from: v.string(), options: v.pipe(v.array(v.string()), v.minLength(1)), at: v.number() }),
  v.transform(
    ({ from, options, at }): v.InferInput<typeof listedVote> => ({
      from,
      options: options.slice(0, LIMITS.pollOptions).map((option) => cutText(option, LIMITS.name)),
      at: toTime(at / 1_000),
    }),
  ),
  listedVote,
);
const receiptForm = v.pipe(
  v.object({ id: v.string(), at: v.number() }),
  v.transform(({ id, at }) => ({ id, at: toTime(at) })),
  receipt,
);

export function messageQueryHandlers(context: HandlerContext): WorkerHandlers<keyof typeof messageQueryOperations> {
  const { page } = context;
  return {
    getMessage: async ({ messageId }, { time }) => {
      const found = await page.read(time.rest(), 'getMessage', messageId);
      return toMessage(unlessRefused(found, { no_message: NO_MESSAGE }));
    },

    listMessages: async ({ chatId, before, after, limit }, { time }) => {
      const what = [chatId, { before, after }, limit, time.step('portions')] as const;
      const found = unlessRefused(await page.read(time.rest(), 'listMessages', ...what), {
        no_chat: NO_CHAT,
        no_message: NO_MESSAGE,
        too_slow: ['client_failed', 'the page did not find a message among the notices of the chat in time'],
      });
      const { isOlderOnPhone } = found;
      return { ...pageOf(found), ...(typeof isOlderOnPhone === 'boolean' ? { isOlderOnPhone } : {}) };
    },

    loadOlderMessages: async ({ chatId }, { time }) => {
      const found = await page.change(time.rest(), 'loadOlderMessages', chatId, time.step('phone'));
      const { id, loaded, isOlderOnPhone } = unlessRefused(found, NO_OLDER_MESSAGES);
      return { chatId: id, loaded, ...(isOlderOnPhone === undefined ? {} : { isOlderOnPhone }) };
    },

    searchMessages: async ({ text, chatId, page: number, limit }, { time }) => {
      const what = [text, chatId, number, limit, time.step('inPage')] as const;
      const found = unlessRefused(await page.read(time.rest(), 'searchMessages', ...what), {
        no_chat: NO_CHAT,
        not_ready: ['client_failed', 'the search index of the page is not ready; retry later'],
      });
      return pageOf(found);
    },

    listReactions: async ({ messageId }, { time }) => {
      const found = await page.read(time.rest(), 'listReactions', messageId);
      return valid(reactionForm, unlessRefused(found, { no_message: NO_MESSAGE }));
    },

    listPollVotes: async ({ messageId }, { time }) => {
      const found = await page.read(time.rest(), 'listPollVotes', messageId);
      const noPoll: CodeAndText = ['message_not_found', 'the account has no poll with this id'];
      return valid(voteForm, unlessRefused(found, { no_poll: noPoll }));
    },

    listReceipts: async ({ messageId }, { time }) => {
      const found = unlessRefused(await page.read(time.rest(), 'listReceipts', messageId), {
        no_message: NO_MESSAGE,
        not_mine: ['not_permitted', 'only messages that this account sent have receipts'],
      });
      const { remaining } = found;
      return {
        delivered: valid(receiptForm, found.delivered),
        read: valid(receiptForm, found.read),
        played: valid(receiptForm, found.played),
        ...(typeof remaining === 'number' && !Number.isNaN(remaining) ? { remaining: toTime(remaining) } : {}),
      };
    },

    getThumbnail: async ({ messageId }, { time }) => {
      const taken = await takeFromPage(context, 'image/jpeg', time.rest(), 'loadThumbnail', messageId);
      return unlessRefused(taken, { no_message: NO_MESSAGE });
    },

    starMessage: async ({ messageId, starred }, { time }) => {
      unlessRefused(await page.change(time.rest(), 'starMessage', messageId, starred), {
        no_message: NO_MESSAGE,
        not_allowed: ['not_permitted', 'messages of this kind cannot be starred'],
        ignored: IGNORED,
      });
      return { id: messageId, starred };
    },

    pinMessage: async ({ messageId, pinned, seconds }, { time }) => {
      const duration = { name: PIN_NAMES[seconds] ?? '', seconds };
      const how = [messageId, pinned, duration, time.step('members')] as const;
      const what = pinned ? 'pinned' : 'unpinned';
      unlessRefused(await page.change(time.rest(), 'pinMessage', ...how), {
        no_message: NO_MESSAGE,
        not_allowed: ['not_permitted', 'in this group only admins can pin messages, or the account is not in it'],
        not_pinnable: ['not_permitted', 'messages of this kind cannot be pinned'],
        not_sent: ['not_permitted', 'the network does not have the message yet: it cannot be pinned'],
        unknown: ['outcome_unknown', `the web client did not report whether the message was ${what}`],
      });
      return { id: messageId, pinned };
    },
  };
}

const NO_OLDER_MESSAGES: Readonly<Record<NoOlderMessages, CodeAndText>> = {
  no_chat: NO_CHAT,
  phone_only: ['not_permitted', 'the phone has older messages, but does not send more of them to linked devices'],
  not_shared: [
    'not_permitted',
    'the phone does not share older messages: on it, under Linked devices, turn on "All chat history" for this device',
  ],
  syncing: [
    'client_failed',
    'the phone has not yet sent all messages of this chat, and may have older ones: retry later',
  ],
  not_asked: [
    'client_failed',
    'the page has paused its requests to the phone, as it does after several unanswered ones; retry later',
  ],
  no_answer: ['client_failed', 'the phone did not answer; open WhatsApp on it, then retry'],
};

/** Messages of the API; unreadable ones are left out. */
function pageOf({ models, hasMore }: MessagePage) {
  return { messages: models.flatMap((model) => readableMessage(model) ?? []), hasMore: hasMore === true };
}

function valid<S extends v.GenericSchema>(form: S, items: readonly unknown[] = []): v.InferOutput<S>[] {
  return items.slice(0, LIMITS.listed).flatMap((item) => {
    const read = v.safeParse(form, item);
    return read.success ? [read.output] : [];
  });
}
