import { cutText, invalidRequest, type Label, LIMITS, label, type labelOperations } from '@chat-web/protocol';
import * as v from 'valibot';
import type { CallTime } from '../call-time.ts';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';

const labelModel = v.object({ id: v.string(), name: v.nullish(v.string(), ''), colorIndex: v.nullish(v.number()) });

export function labelHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof labelOperations> {
  const labelsOf = async (time: CallTime, chatId?: string) =>
    toLabels(await page.read(time.rest(), 'listLabels', chatId));
  return {
    listLabels: (_, { time }) => labelsOf(time),
    listChatLabels: ({ chatId }, { time }) => labelsOf(time, chatId),

    setChatLabels: async ({ chatId, labelIds }, { time }) => {
      if (!(await page.change(time.rest('query'), 'setChatLabels', chatId, labelIds, time.step('settle'))))
        throw invalidRequest([{ path: 'labelIds', message: 'names a label that the account does not have' }]);
      return labelsOf(time, chatId);
    },
  };
}

/** Labels of the API; invalid ones are left out. */
function toLabels(read: readonly unknown[]): Label[] {
  return read.flatMap((one) => {
    const parsed = v.safeParse(labelModel, one);
    if (!parsed.success) return [];
    const { id, name, colorIndex } = parsed.output;
    const shown = { id, name: cutText(name ?? '', LIMITS.name), ...(colorIndex == null ? {} : { colorIndex }) };
    return v.is(label, shown) ? [shown] : [];
  });
}
