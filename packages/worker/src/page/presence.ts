import { delay } from './delay.ts';
import { findChat, holds } from './tools/chats.ts';
import { phoneOr } from './tools/identities.ts';
import {
  activity,
  isWatched,
  presenceRequest,
  presenceRows,
  unwatchPresence,
  watchPresence,
} from './tools/presences.ts';

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
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const subscribe = presenceRequest(chat);
  if (!subscribe) return 'no_function';
  const models = presenceRows(chat);
  const isNew = !isWatched(chat);
  if (!watchPresence(chat)) return 'too_many';
  const late = delay(answerMs);
  try {
    await Promise.race([subscribe(), late]);
  } catch (error) {
    if (isNew) unwatchPresence(chat);
    throw error;
  }
  const known = () => models.find(({ hasData }) => hasData === true);
  await holds(() => known() !== undefined, answerMs);
  const shown = known()?.chatstate;
  return { id: phoneOr(chat.id) ?? chatId, ...(shown ? activity(shown) : {}) };
}
