import type { Handlers } from '@chat-web/protocol';
import { toChats } from '../client/lists.ts';
import type { HandlerContext } from '../client/port.ts';
import { listChats } from '../page/chats.ts';

const LIST_TIMEOUT_MS = 25_000;

/** Handlers of the operations on chats. */
export function chatHandlers({ page }: HandlerContext): Handlers<'listChats'> {
  return {
    listChats: async () => toChats(await page.read(LIST_TIMEOUT_MS, listChats)),
  };
}
