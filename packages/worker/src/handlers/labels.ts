import {
  cutText,
  GatewayError,
  type Handlers,
  invalidRequest,
  type Label,
  LIMITS,
  label,
  type labelOperations,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext } from '../client/port.ts';
import { listLabels, type NoLabels, setChatLabels } from '../page/labels.ts';
import { chatNotFound } from './not-found.ts';

const READ_TIMEOUT_MS = 10_000;
const CHANGE_TIMEOUT_MS = 18_000;
/** How long the page may take to show a change after it was applied. */
const SETTLE_TIMEOUT_MS = 3_000;

const labelModel = v.object({ id: v.string(), name: v.nullish(v.string(), ''), colorIndex: v.nullish(v.number()) });

/** Handlers of the operations on labels. */
export function labelHandlers({ page }: HandlerContext): Handlers<keyof typeof labelOperations> {
  const labelsOf = async (chatId?: string) => toLabels(await page.read(READ_TIMEOUT_MS, listLabels, chatId));
  return {
    listLabels: () => labelsOf(),
    listChatLabels: ({ chatId }) => labelsOf(chatId),

    setChatLabels: async ({ chatId, labelIds }) => {
      const outcome = await page.change(CHANGE_TIMEOUT_MS, setChatLabels, chatId, labelIds, SETTLE_TIMEOUT_MS);
      if (outcome === 'no_label')
        throw invalidRequest([{ path: 'labelIds', message: 'names a label that the account does not have' }]);
      if (outcome === 'not_shown')
        throw new GatewayError(
          'outcome_unknown',
          'the web client did not show the change; look at the labels of the chat',
        );
      if (outcome !== 'ok') throw noLabels(outcome);
      return labelsOf(chatId);
    },
  };
}

/** Labels of the API; invalid ones are left out. */
function toLabels(read: readonly unknown[] | NoLabels): Label[] {
  if (typeof read === 'string') throw noLabels(read);
  return read.flatMap((one) => {
    const parsed = v.safeParse(labelModel, one);
    if (!parsed.success) return [];
    const { id, name, colorIndex } = parsed.output;
    const shown = { id, name: cutText(name ?? '', LIMITS.name), ...(colorIndex == null ? {} : { colorIndex }) };
    return v.is(label, shown) ? [shown] : [];
  });
}

function noLabels(why: NoLabels): GatewayError {
  if (why === 'no_chat') return chatNotFound();
  return new GatewayError('not_permitted', 'the account is not a business account: only those have labels');
}
