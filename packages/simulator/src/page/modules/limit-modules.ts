import type { Chat } from '../models/chat.ts';
import { LOCK_KEY, storedCap, storedLimits, storeLimits } from '../models/limits.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';

/** The network's limits on the account. */
export function limitModules({ connection }: Page): Modules {
  connection.handle('limits', ({ limits }) => storeLimits(limits));
  const isAllowed = ({ chat }: { readonly chat?: Chat | undefined }) => chat?.isOutsideLimits === true;
  return {
    WAWebUserPrefsIndexedDBStorage: { userPrefsIdb: { get: (key: string) => storedLimits.get(key) ?? null } },
    WAWebReachoutTimelockUtils: { REACHOUT_TIMELOCK_IDB_KEY: LOCK_KEY, canSendMsgWhileTimelocked: isAllowed },
    WAWebGetReachoutTimelockJob: {
      fetchReachoutTimelock: async () => storeLimits(await connection.request('limits', {})),
    },
    WAWebIndividualNewChatMessageCappingLimitGatingUtils: { isIndividualNewChatMessageCappingEnabled: () => true },
    WAWebIndividualNewChatMessageCappingLimitUtils: {
      getCappingData: () => storedCap() ?? null,
      canSendMsgWhileCapped: isAllowed,
    },
    WAWebChatGroupUtils: { updateCanSend: (chat: Chat) => chat.canSend },
  };
}
