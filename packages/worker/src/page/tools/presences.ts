import { delay } from '../delay.ts';
import type { PageActivity, PageChange, PageChat, PageId, PagePresence } from '../models.ts';
import type { FoundChange } from './changes.ts';
import { idsOf, lidOf, optional, phoneOr } from './identities.ts';

/** The activity in a chat, and the person; no person in a group without activity. */
interface Activity extends ReturnType<typeof activity> {
  readonly who: PageId | undefined;
}

const MAX_WATCHED = 200;

const SECOND_MS = 1_000;

/** Many requests at once would look automated. */
const BETWEEN_MS = 500;

/** Each chat under all of its ids. */
const watched = new Map<string, PageChat>();

/** Chats to subscribe to again; true: even if the page knows their presence by then. */
const forgotten = new Map<PageChat, boolean>();

let isAsking = false;

/** The last report, by chat. */
const reported = new Map<string, Activity>();

const names: Readonly<Record<string, string>> = { recording_audio: 'recording' };

function isGroup({ id }: PageChat) {
  return String(id).endsWith('@g.us');
}

function isSame(one: Activity | undefined, other: Activity) {
  return one?.state === other.state && one.lastSeen === other.lastSeen && String(one.who) === String(other.who);
}

/** The state after the page has forgotten it: otherwise no event would report the end of typing. */
function endOf(last: Activity | undefined, chat: PageChat): Activity | undefined {
  if (last?.state !== 'typing' && last?.state !== 'recording') return undefined;
  const [state, who] = isGroup(chat) ? ['unavailable', undefined] : ['available', last.who];
  return { state, who, lastSeen: undefined };
}

function isKnown(chat: PageChat) {
  try {
    return presenceRows(chat).some(({ hasData }) => hasData);
  } catch {
    return false; // The chat is still subscribed to.
  }
}

/** The ids that the network may use for a chat. */
export function presenceIds({ id, accountLid }: PageChat): string[] {
  return [...new Set([id, accountLid].flatMap((one) => (one ? idsOf(one) : [])))];
}

/** The page's models for these ids, created if missing: without one, the page drops the network's reports. */
export function presenceRows(chat: PageChat): readonly PagePresence[] {
  const { PresenceCollection: presences } = window.require('WAWebPresenceCollection');
  const { createWid } = window.require('WAWebWidFactory');
  return presenceIds(chat).map((id) => presences.gadd(createWid(id) as PageId));
}

/** Returns a function that subscribes to a chat; undefined if this build cannot do so for this kind of chat. */
export function presenceRequest(chat: PageChat): (() => unknown) | undefined {
  const bridge = optional('WAWebContactPresenceBridge') ?? {};
  const subscribe = isGroup(chat) ? bridge.subscribeGroupPresence : bridge.subscribeUserPresence;
  const older = bridge.subscribePresence;
  if (!subscribe && !older) return undefined;
  // People are subscribed to by hidden id.
  const lid = chat.accountLid ?? (isGroup(chat) ? undefined : lidOf(chat.id));
  const whom = lid ? (window.require('WAWebWidFactory').createWid(String(lid)) as PageId) : chat.id;
  return () => (subscribe ? subscribe(whom) : older?.(whom, chat.tcToken));
}

/**
 * Subscribes to the watched chats again, one by one: the page forgets their presence when it is offline, or shows the
 * account as offline. To all of them, or to those that the page has forgotten.
 */
export async function watchAgain(which: 'all' | 'forgotten'): Promise<void> {
  for (const chat of new Set(watched.values())) {
    // The page may have learnt another id of the chat since.
    watchPresence(chat);
    if (which === 'all') forgotten.set(chat, true);
    else if (!forgotten.has(chat) && !isKnown(chat)) forgotten.set(chat, false);
  }
  if (isAsking) return;
  isAsking = true;
  for (const chat of forgotten.keys()) {
    await delay(BETWEEN_MS);
    const isOwed = forgotten.get(chat) === true;
    forgotten.delete(chat);
    // The answer would end typing that has started meanwhile.
    if (!isOwed && isKnown(chat)) continue;
    // One that fails or hangs must not block the others.
    void Promise.resolve()
      .then(() => presenceRequest(chat)?.())
      .catch(() => {});
  }
  isAsking = false;
}

/** Starts reporting changes in this chat. False: too many chats are watched. */
export function watchPresence(chat: PageChat): boolean {
  if (!isWatched(chat) && new Set(watched.values()).size >= MAX_WATCHED) return false;
  for (const id of presenceIds(chat)) watched.set(id, chat);
  return true;
}

export function isWatched(chat: PageChat): boolean {
  return presenceIds(chat).some((id) => watched.has(id));
}

/** Stops reporting changes in this chat. */
export function unwatchPresence(chat: PageChat): void {
  for (const id of presenceIds(chat)) watched.delete(id);
}

/** A person's presence or activity, for the API. */
export function activity({ type = 'unavailable', t }: PageActivity): {
  readonly state: string;
  readonly lastSeen: number | undefined;
} {
  return {
    state: names[type] ?? type,
    lastSeen: type === 'unavailable' && typeof t === 'number' && t > 0 ? t * SECOND_MS : undefined,
  };
}

/**
 * The new state in a chat, found by its model or its `chatstate`; undefined unless the chat is watched, the network
 * reported it, and it differs from the last report. If the page forgets the state while offline, only typing and
 * recording end.
 */
export function activityChange(what: PagePresence | PageActivity): FoundChange | undefined {
  if (watched.size === 0) return undefined;
  const { PresenceCollection: presences } = optional('WAWebPresenceCollection') ?? {};
  const owner = presences?.getModelsArray().find((one) => one === what || one.chatstate === what);
  const chat = owner && watched.get(String(owner.id));
  const shown = owner?.chatstate;
  if (!chat || !shown) return undefined;
  const last = reported.get(String(chat.id));
  const who = isGroup(chat) ? shown.id || undefined : chat.id;
  const done = owner.hasData === true ? { ...activity(shown), who } : endOf(last, chat);
  if (!done || isSame(last, done)) return undefined;
  reported.set(String(chat.id), done);
  const { state, lastSeen } = done;
  const read = (): PageChange => ({
    name: 'presence',
    data: { chatId: phoneOr(chat.id), from: phoneOr(done.who), state, lastSeen },
  });
  return { at: Date.now(), people: [chat.id, done.who], read };
}
