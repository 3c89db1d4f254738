import { type Handlers, type Message, STATUS_FEED } from '@chat-web/protocol';
import type { HandlerContext, PageCalls } from '../client/port.ts';
import { postTextStatus } from '../page/status-feed.ts';
import { accepted, sendMedia } from './sending.ts';

const POST_TIMEOUT_MS = 20_000;
/** How long the page may take to list the new status. */
const SHOWN_TIMEOUT_MS = 5_000;

/** A text for the status feed. */
interface TextStatus {
  readonly body: string;
  readonly backgroundColor?: string | undefined;
  readonly font?: number | undefined;
}

/** Handlers of the operations on the status feed. */
export function statusFeedHandlers(context: HandlerContext): Handlers<'postStatus'> {
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
  };
}

/** Posts a text to the status feed. Resolves with the posted message. */
export async function postText(page: PageCalls, { body, backgroundColor, font }: TextStatus): Promise<Message> {
  const posted = await page.change(POST_TIMEOUT_MS, postTextStatus, body, backgroundColor, font, SHOWN_TIMEOUT_MS);
  return accepted(posted);
}
