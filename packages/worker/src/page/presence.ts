import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/** What the network has reported about a chat so far. */
export interface ChatPresence {
  readonly id: string;
  /** Undefined: nothing yet. */
  readonly state?: string | undefined;
  /** Milliseconds since 1970. */
  readonly lastSeen?: number | undefined;
}

/** Subscribes to the presence in a chat, and waits a moment for the current state. */
export async function subscribePresence(
  chatId: string,
  answerMs: number,
): Promise<ChatPresence | 'no_chat' | 'no_function' | 'too_many'> {
  const tools = window.chatWebTools;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const subscribe = tools.presenceRequest(chat);
  if (!subscribe) return 'no_function';
  const models = tools.presenceRows(chat);
  const isNew = !tools.isWatched(chat);
  if (!tools.watchPresence(chat)) return 'too_many';
  const late = new Promise((resolve) => setTimeout(resolve, answerMs));
  try {
    await Promise.race([subscribe(), late]);
  } catch (error) {
    if (isNew) tools.unwatchPresence(chat);
    throw error;
  }
  const known = () => models.find(({ hasData }) => hasData === true);
  await tools.holds(() => known() !== undefined, answerMs);
  const shown = known()?.chatstate;
  return { id: tools.phoneOr(chat.id) ?? chatId, ...(shown ? tools.activity(shown) : {}) };
}
