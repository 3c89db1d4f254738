import {
  GatewayError,
  type Handlers,
  type Message,
  MOST_STATUSES_OF_ONE,
  networkId,
  STATUS_FEED,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext, PageCalls } from '../client/port.ts';
import { readableMessage } from '../client/resources.ts';
import { postTextStatus } from '../page/status-feed.ts';
import { listStatuses, loadStatuses, markStatusSeen } from '../page/statuses.ts';
import { accepted, sendMedia } from './sending.ts';

const POST_TIMEOUT_MS = 20_000;
/** How long the page may take to list the new status. */
const SHOWN_TIMEOUT_MS = 5_000;
const LOAD_TIMEOUT_MS = 5_000;
const LOAD_MARGIN_MS = 2_000;
const LIST_TIMEOUT_MS = 15_000;
const SEEN_TIMEOUT_MS = 15_000;
const STATUS_SECONDS = 24 * 60 * 60;
const MOST_PEOPLE = 1_000;

/** A text for the status feed. */
interface TextStatus {
  readonly body: string;
  readonly backgroundColor?: string | undefined;
  readonly font?: number | undefined;
}

/** Handlers of the operations on the status feed. */
export function statusFeedHandlers(
  context: HandlerContext,
): Handlers<'postStatus' | 'listStatuses' | 'markStatusSeen'> {
  const load = () => context.page.read(LOAD_TIMEOUT_MS + LOAD_MARGIN_MS, loadStatuses, LOAD_TIMEOUT_MS);
  return {
    postStatus: async (input, attempt) => {
      if (input.type !== 'text') return sendMedia(context, { ...input, to: STATUS_FEED }, attempt);
      const { body, options } = input;
      return postText(context.page, {
        body,
        backgroundColor: input.backgroundColor ?? options?.backgroundColor,
        font: input.font ?? options?.font,
      });
    },

    listStatuses: async () => {
      await load();
      const since = Math.floor(Date.now() / 1_000) - STATUS_SECONDS;
      const read = await context.page.read(LIST_TIMEOUT_MS, listStatuses, since, MOST_PEOPLE, MOST_STATUSES_OF_ONE);
      return read.flatMap(({ from, statuses }) => {
        const shown = statuses.flatMap((model) => {
          const message = readableMessage(model);
          return message ? [{ ...message, seen: model.seen === true }] : [];
        });
        return v.is(networkId, from) && shown.length > 0 ? [{ from, statuses: shown }] : [];
      });
    },

    markStatusSeen: async ({ messageId }) => {
      // The status may be in memory even if loading fails.
      const failure = await load().then(
        () => undefined,
        (error: unknown) => error,
      );
      const outcome = await context.page.change(SEEN_TIMEOUT_MS, markStatusSeen, messageId);
      if (outcome === 'no_status' && failure) throw failure;
      if (outcome === 'no_status')
        throw new GatewayError('message_not_found', 'the account has received no such status');
      if (outcome === 'own') throw new GatewayError('not_permitted', "the status is the account's own");
      if (outcome === 'unknown')
        throw new GatewayError('outcome_unknown', 'the web client did not report whether the network has the receipt');
      return { id: messageId, seen: true };
    },
  };
}

/** Posts a text to the status feed. Resolves with the posted message. */
export async function postText(page: PageCalls, { body, backgroundColor, font }: TextStatus): Promise<Message> {
  const posted = await page.change(POST_TIMEOUT_MS, postTextStatus, body, backgroundColor, font, SHOWN_TIMEOUT_MS);
  return accepted(posted);
}
