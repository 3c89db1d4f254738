import { cutText, invalidRequest, type Label, LIMITS, label, type labelOperations } from '@chat-web/protocol';
import * as v from 'valibot';
import type { CallTime } from '../call-time.ts';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { validRows } from '../client/schemas.ts';

const labelModel = v.object({ id: v.string(), name: v.nullish(v.string(), ''), colorIndex: v.nullish(v.number()) });

export function labelHandlers({ page }: HandlerDependencies): WorkerHandlers<keyof typeof labelOperations> {
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
  const shown = validRows(labelModel, read).map(({ id, name, colorIndex }) => ({
    id,
    name: cutText(name ?? '', LIMITS.name),
    ...(colorIndex == null ? {} : { colorIndex }),
  }));
  return validRows(label, shown);
}
