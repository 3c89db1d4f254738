import { delay } from './delay.ts';
import { Refusal } from './refusal.ts';
import { holds, ownChat } from './tools/chats.ts';
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
export async function subscribePresence(chatId: string, answerMs: number): Promise<ChatPresence> {
  const chat = ownChat(chatId);
  const subscribe = presenceRequest(chat);
  if (!subscribe) throw new Refusal('page_unsupported', 'the page of this account cannot subscribe to this presence');
  const models = presenceRows(chat);
  const isNew = !isWatched(chat);
  if (!watchPresence(chat))
    throw new Refusal('not_permitted', 'at most 200 chats can be subscribed to; restart the session to reset them');
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
