import {
  GatewayError,
  MAX_STATUSES_PER_PERSON,
  type Message,
  networkId,
  STATUS_FEED,
  type statusFeedOperations,
  unixNow,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { CallTime } from '../call-time.ts';
import type { HandlerDependencies, PageCalls, WorkerHandlers } from '../client/port.ts';
import { readableMessage } from '../client/resources.ts';
import { accepted, rethrowUnsent, sendMedia } from './sending.ts';

const STATUS_SECONDS = 24 * 60 * 60;
const MAX_PEOPLE = 1_000;

interface TextStatus {
  readonly body: string;
  readonly backgroundColor?: string | undefined;
  readonly font?: number | undefined;
}

export function statusFeedHandlers(
  dependencies: HandlerDependencies,
): WorkerHandlers<keyof typeof statusFeedOperations> {
  const load = (time: CallTime) => dependencies.page.read(time.step('query'), 'loadStatuses', time.step('statuses'));
  return {
    postStatus: async (input, call) => {
      if (input.type !== 'text') return sendMedia(dependencies, { ...input, to: STATUS_FEED }, call);
      const { body, options } = input;
      const status = {
        body,
        backgroundColor: input.backgroundColor ?? options?.backgroundColor,
        font: input.font ?? options?.font,
      };
      return postText(dependencies.page, status, call.time);
    },

    listStatuses: async (_, { time }) => {
      await load(time);
      const since = unixNow() - STATUS_SECONDS;
      const read = await dependencies.page.read(
        time.rest(),
        'listStatuses',
        since,
        MAX_PEOPLE,
        MAX_STATUSES_PER_PERSON,
      );
      return read.flatMap(({ from, statuses }) => {
        const shown = statuses.flatMap((model) => {
          const message = readableMessage(model);
          return message ? [{ ...message, seen: model.seen === true }] : [];
        });
        return v.is(networkId, from) && shown.length > 0 ? [{ from, statuses: shown }] : [];
      });
    },

    markStatusSeen: async ({ messageId }, { time }) => {
      // The status may be in memory even if loading fails.
      const failure = await load(time).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!(await dependencies.page.change(time.rest(), 'markStatusSeen', messageId))) {
        if (failure) rethrowUnsent(failure);
        throw new GatewayError('message_not_found', 'the account has received no such status');
      }
      return { id: messageId, seen: true };
    },
  };
}

export async function postText(
  page: PageCalls,
  { body, backgroundColor, font }: TextStatus,
  time: CallTime,
): Promise<Message> {
  const shownMs = time.step('statusShown');
  const posted = await page.change(time.step('textStatus'), 'postTextStatus', body, backgroundColor, font, shownMs);
  return accepted(posted);
}
