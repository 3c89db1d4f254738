import { cutText, LIMITS, listedReaction, listedVote, type messageQueryOperations, receipt } from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { readableMessage, toMessage, toTime } from '../client/resources.ts';
import { validRows } from '../client/schemas.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import type { MessagePage } from '../page/message-queries.ts';

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

export function messageQueryHandlers(
  dependencies: HandlerDependencies,
): WorkerHandlers<keyof typeof messageQueryOperations> {
  const { page } = dependencies;
  return {
    getMessage: async ({ messageId }, { time }) => toMessage(await page.read(time.rest(), 'getMessage', messageId)),

    listMessages: async ({ chatId, before, after, limit }, { time }) => {
      const what = [chatId, { before, after }, limit, time.step('portions')] as const;
      const found = await page.read(time.rest(), 'listMessages', ...what);
      const { isOlderOnPhone } = found;
      return { ...pageOf(found), ...(typeof isOlderOnPhone === 'boolean' ? { isOlderOnPhone } : {}) };
    },

    loadOlderMessages: async ({ chatId }, { time }) => {
      const found = await page.change(time.rest(), 'loadOlderMessages', chatId, time.step('phone'));
      const { id, loaded, isOlderOnPhone } = found;
      return { chatId: id, loaded, ...(isOlderOnPhone === undefined ? {} : { isOlderOnPhone }) };
    },

    searchMessages: async ({ text, chatId, page: number, limit }, { time }) => {
      const what = [text, chatId, number, limit, time.step('inPage')] as const;
      return pageOf(await page.read(time.rest(), 'searchMessages', ...what));
    },

    listReactions: async ({ messageId }, { time }) =>
      listed(reactionForm, await page.read(time.rest(), 'listReactions', messageId)),

    listPollVotes: async ({ messageId }, { time }) =>
      listed(voteForm, await page.read(time.rest(), 'listPollVotes', messageId)),

    listReceipts: async ({ messageId }, { time }) => {
      const found = await page.read(time.rest(), 'listReceipts', messageId);
      const { remaining } = found;
      return {
        delivered: listed(receiptForm, found.delivered),
        read: listed(receiptForm, found.read),
        played: listed(receiptForm, found.played),
        ...(typeof remaining === 'number' && !Number.isNaN(remaining) ? { remaining: toTime(remaining) } : {}),
      };
    },

    getThumbnail: ({ messageId }, { time }) =>
      takeFromPage(dependencies, 'image/jpeg', time.rest(), 'loadThumbnail', messageId),

    starMessage: async ({ messageId, starred }, { time }) => {
      await page.change(time.rest(), 'starMessage', messageId, starred);
      return { id: messageId, starred };
    },

    pinMessage: async ({ messageId, pinned, seconds }, { time }) => {
      const duration = { name: PIN_NAMES[seconds] ?? '', seconds };
      await page.change(time.rest(), 'pinMessage', messageId, pinned, duration, time.step('members'));
      return { id: messageId, pinned };
    },
  };
}

/** Messages of the API; unreadable ones are left out. */
function pageOf({ models, hasMore }: MessagePage) {
  return { messages: models.flatMap((model) => readableMessage(model) ?? []), hasMore: hasMore === true };
}

function listed<S extends v.GenericSchema>(form: S, items: readonly unknown[] = []): v.InferOutput<S>[] {
  return validRows(form, items.slice(0, LIMITS.listed));
}
