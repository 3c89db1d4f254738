import type { Handlers } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';
import { postTextStatus } from '../page/status-feed.ts';
import { confirmed, sendMedia } from './sending.ts';

const STATUS_FEED = 'status@broadcast';
const POST_TIMEOUT_MS = 20_000;
/** How long the page may take to show what it has posted. */
const SHOWN_TIMEOUT_MS = 5_000;

/** Handlers of the operations on the status feed. */
export function statusFeedHandlers(context: HandlerContext): Handlers<'postStatus'> {
  const { page } = context;
  return {
    postStatus: async (input) => {
      if (input.type !== 'text') return sendMedia(context, { ...input, to: STATUS_FEED });
      const { body, options } = input;
      const backgroundColor = input.backgroundColor ?? options?.backgroundColor;
      const font = input.font ?? options?.font;
      const posted = await page.change(POST_TIMEOUT_MS, postTextStatus, body, backgroundColor, font, SHOWN_TIMEOUT_MS);
      return confirmed(page, STATUS_FEED, posted);
    },
  };
}
