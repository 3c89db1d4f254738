import type { PageChat, PageLimit } from '../models.ts';
import { optional } from './identities.ts';

/** The page asks only at its start and in an open dialog whether a lock has ended. */
const ASK_INTERVAL_MS = 60_000;
let askedAt = 0;

/** The network's limits on the account, as far as the page knows them. */
export function accountLimits(): PageLimit[] {
  return [timeLock(), newChats()].flatMap((limit) => limit ?? []);
}

/** While it lasts, the account cannot write to people who have not written to it. */
function timeLock(): PageLimit | undefined {
  const key = optional('WAWebReachoutTimelockUtils')?.REACHOUT_TIMELOCK_IDB_KEY;
  const lock = key && optional('WAWebUserPrefsIndexedDBStorage')?.userPrefsIdb?.get(key);
  if (typeof lock !== 'object' || lock === null) return undefined;
  const untilMs = Number((lock as Record<string, unknown>).time_enforcement_ends);
  if (untilMs < Date.now() && Date.now() > askedAt + ASK_INTERVAL_MS) {
    askedAt = Date.now();
    optional('WAWebGetReachoutTimelockJob')
      ?.fetchReachoutTimelock?.()
      .catch(() => {}); // It is asked again.
  }
  // Without an end from the network, the page stores one a minute after it asked.
  const isUnknown = askedAt > 0 && untilMs < askedAt + 1.5 * ASK_INTERVAL_MS;
  return isUnknown ? { kind: 'time_lock' } : { kind: 'time_lock', untilMs };
}

/** How many people who have not written to the account it may still write to. */
function newChats(): PageLimit | undefined {
  const gate = optional('WAWebIndividualNewChatMessageCappingLimitGatingUtils');
  if (!gate?.isIndividualNewChatMessageCappingEnabled?.()) return undefined;
  const data = optional('WAWebIndividualNewChatMessageCappingLimitUtils')?.getCappingData?.();
  const untilMs = Number(data?.cycle_end_timestamp) * 1_000;
  if (!data || untilMs < Date.now()) return undefined;
  if (data.capping_status === 'CAPPED') return { kind: 'new_chats', untilMs, remaining: 0 };
  const total = Number(data.total_quota);
  // The page does not use its count to refuse a message.
  return total > 0
    ? { kind: 'new_chats', untilMs, remaining: Math.max(1, total - Number(data.used_quota)) }
    : undefined;
}

/** True if the page's own composer is disabled in the chat. */
export function isComposerDisabled(chat: PageChat | undefined): boolean {
  if (chat?.canSend !== false) return false; // Undefined: not known yet.
  try {
    // It may be out of date: the end of a limit is no event.
    return optional('WAWebChatGroupUtils')?.updateCanSend?.(chat) !== true;
  } catch {
    return true;
  }
}

/** The limit that keeps the account from writing to the person in that chat. */
export function limitOf(chat: PageChat): PageLimit | undefined {
  const to = { chat, contact: chat.contact };
  return accountLimits().find(({ kind, remaining }) =>
    kind === 'time_lock'
      ? optional('WAWebReachoutTimelockUtils')?.canSendMsgWhileTimelocked?.(to) === false
      : remaining === 0 &&
        optional('WAWebIndividualNewChatMessageCappingLimitUtils')?.canSendMsgWhileCapped?.(to) === false,
  );
}
