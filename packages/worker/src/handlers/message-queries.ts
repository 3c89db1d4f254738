import { cutText, GatewayError, type Handlers, LIMITS, listedReaction, listedVote, receipt } from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext } from '../client/port.ts';
import { readableMessage, toMessage, toTime } from '../client/resources.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import {
  getMessage,
  listMessages,
  listPollVotes,
  listReactions,
  listReceipts,
  loadThumbnail,
  type MessagePage,
  pinMessage,
  searchMessages,
  starMessage,
} from '../page/message-queries.ts';
import { loadOlderMessages, type NoOlderMessages } from '../page/older-messages.ts';
import { MEMBERS_OF_ONE_TIMEOUT_MS } from './groups.ts';
import { chatNotFound, messageNotFound } from './not-found.ts';
import { notCarriedOut, refusedBy } from './sending.ts';

const READ_TIMEOUT_MS = 25_000;
/** Less than the above, so that the page reports that the index did not answer. */
const SEARCH_TIMEOUT_MS = 22_000;
/** For lists that are read in steps, until there are enough items. */
const LIST_TIMEOUT_MS = 10_000;
const CHANGE_TIMEOUT_MS = 25_000;
/** The phone has to wake up, and to send a file. */
const PHONE_TIMEOUT_MS = 60_000;
const MARGIN_MS = 5_000;
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

/** Handlers of the operations that read and mark messages. */
export function messageQueryHandlers(
  context: HandlerContext,
): Handlers<
  | (
      | 'getMessage'
      | 'listMessages'
      | 'loadOlderMessages'
      | 'searchMessages'
      | 'listReactions'
      | 'listReceipts'
      | 'listPollVotes'
    )
  | ('getThumbnail' | 'starMessage' | 'pinMessage')
> {
  const { page } = context;
  return {
    getMessage: async ({ messageId }) => {
      const found = await page.read(READ_TIMEOUT_MS, getMessage, messageId);
      if (found === 'no_message') throw messageNotFound();
      return toMessage(found);
    },

    listMessages: async ({ chatId, before, after, limit }) => {
      const what = [chatId, { before, after }, limit, LIST_TIMEOUT_MS] as const;
      const found = await page.read(READ_TIMEOUT_MS, listMessages, ...what);
      if (found === 'no_chat') throw chatNotFound();
      if (found === 'no_message') throw messageNotFound();
      if (found === 'too_slow')
        throw new GatewayError(
          'client_failed',
          'the page did not find a message among the notices of the chat in time',
        );
      const { isOlderOnPhone } = found;
      return { ...pageOf(found), ...(typeof isOlderOnPhone === 'boolean' ? { isOlderOnPhone } : {}) };
    },

    loadOlderMessages: async ({ chatId }) => {
      const found = await page.change(PHONE_TIMEOUT_MS + MARGIN_MS, loadOlderMessages, chatId, PHONE_TIMEOUT_MS);
      if (typeof found === 'string') throw noOlderMessages[found]();
      const { id, loaded, isOlderOnPhone } = found;
      return { chatId: id, loaded, ...(isOlderOnPhone === undefined ? {} : { isOlderOnPhone }) };
    },

    searchMessages: async ({ text, chatId, page: number, limit }) => {
      const what = [text, chatId, number, limit, SEARCH_TIMEOUT_MS] as const;
      const found = await page.read(READ_TIMEOUT_MS, searchMessages, ...what);
      if (found === 'no_chat') throw chatNotFound();
      if (found === 'not_ready')
        throw new GatewayError('client_failed', 'the search index of the page is not ready; retry later');
      return pageOf(found);
    },

    listReactions: async ({ messageId }) => {
      const found = await page.read(READ_TIMEOUT_MS, listReactions, messageId);
      if (found === 'no_message') throw messageNotFound();
      return valid(reactionForm, found);
    },

    listPollVotes: async ({ messageId }) => {
      const found = await page.read(READ_TIMEOUT_MS, listPollVotes, messageId);
      if (found === 'no_poll') throw new GatewayError('message_not_found', 'the account has no poll with this id');
      return valid(voteForm, found);
    },

    listReceipts: async ({ messageId }) => {
      const found = await page.read(READ_TIMEOUT_MS, listReceipts, messageId);
      if (found === 'no_message') throw messageNotFound();
      if (found === 'not_mine')
        throw new GatewayError('not_permitted', 'only messages that this account sent have receipts');
      const [delivered, read, played] = [found.delivered, found.read, found.played].map((list) =>
        valid(receiptForm, list),
      );
      const { remaining } = found;
      return {
        ...{ delivered: delivered ?? [], read: read ?? [], played: played ?? [] },
        ...(typeof remaining === 'number' && !Number.isNaN(remaining) ? { remaining: toTime(remaining) } : {}),
      };
    },

    getThumbnail: async ({ messageId }) => {
      const taken = await takeFromPage(context, 'image/jpeg', READ_TIMEOUT_MS, loadThumbnail, messageId);
      if (taken === 'no_message') throw messageNotFound();
      return taken;
    },

    starMessage: async ({ messageId, starred }) => {
      const outcome = await page.change(CHANGE_TIMEOUT_MS, starMessage, messageId, starred);
      if (outcome === 'no_message') throw messageNotFound();
      if (outcome === 'not_allowed') throw new GatewayError('not_permitted', 'messages of this kind cannot be starred');
      if (outcome === 'ignored') throw notCarriedOut();
      return { id: messageId, starred };
    },

    pinMessage: async ({ messageId, pinned, seconds }) => {
      const duration = { name: PIN_NAMES[seconds] ?? '', seconds };
      const how = [messageId, pinned, duration, MEMBERS_OF_ONE_TIMEOUT_MS] as const;
      const outcome = await page.change(CHANGE_TIMEOUT_MS, pinMessage, ...how);
      if (outcome === 'no_message') throw messageNotFound();
      if (outcome === 'not_allowed')
        throw new GatewayError(
          'not_permitted',
          'in this group only admins can pin messages, or the account is not in it',
        );
      if (outcome === 'not_pinnable') throw new GatewayError('not_permitted', 'messages of this kind cannot be pinned');
      if (outcome === 'not_sent')
        throw new GatewayError('not_permitted', 'the network does not have the message yet: it cannot be pinned');
      if (outcome === 'unknown') {
        const what = pinned ? 'pinned' : 'unpinned';
        throw new GatewayError('outcome_unknown', `the web client did not report whether the message was ${what}`);
      }
      if (outcome !== 'ok') throw refusedBy(outcome.refused);
      return { id: messageId, pinned };
    },
  };
}

const noOlderMessages: Readonly<Record<NoOlderMessages, () => GatewayError>> = {
  no_chat: chatNotFound,
  phone_only: () =>
    new GatewayError('not_permitted', 'the phone has older messages, but does not send more of them to linked devices'),
  not_shared: () =>
    new GatewayError(
      'not_permitted',
      'the phone does not share older messages: on it, under Linked devices, turn on "All chat history" for this device',
    ),
  syncing: () =>
    new GatewayError(
      'client_failed',
      'the phone has not yet sent all messages of this chat, and may have older ones: retry later',
    ),
  not_asked: () =>
    new GatewayError(
      'client_failed',
      'the page has paused its requests to the phone, as it does after several unanswered ones; retry later',
    ),
  no_answer: () => new GatewayError('client_failed', 'the phone did not answer; open WhatsApp on it, then retry'),
};

/** Messages of the API; unreadable ones are left out. */
function pageOf({ models, hasMore }: MessagePage) {
  return { messages: models.flatMap((model) => readableMessage(model) ?? []), hasMore: hasMore === true };
}

/** The valid items. */
function valid<S extends v.GenericSchema>(form: S, items: readonly unknown[] = []): v.InferOutput<S>[] {
  return items.slice(0, LIMITS.listed).flatMap((item) => {
    const read = v.safeParse(form, item);
    return read.success ? [read.output] : [];
  });
}
