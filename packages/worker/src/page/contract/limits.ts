import type { PageChat } from '../models.ts';
import { type Contract, fn, object, unchecked } from './part.ts';

/** Modules for the network's limits on the account. The page asks for them at its start, and is notified of changes. */
export interface LimitModules {
  WAWebUserPrefsIndexedDBStorage: {
    /** What the page has stored, by key, from memory. */
    userPrefsIdb: { get(key: string): unknown };
  };
  WAWebReachoutTimelockUtils: {
    /** Its value is stored while the account is locked: `time_enforcement_ends`, in milliseconds since 1970. */
    REACHOUT_TIMELOCK_IDB_KEY: string;
    /** False for a person who has not written to the account. */
    canSendMsgWhileTimelocked(to: { chat: PageChat; contact: unknown }): boolean;
  };
  WAWebGetReachoutTimelockJob: {
    /** Asks the network whether the account is locked, and stores the answer. */
    fetchReachoutTimelock(): Promise<unknown>;
  };
  WAWebIndividualNewChatMessageCappingLimitGatingUtils: {
    /** Whether the page applies the limit of new chats. */
    isIndividualNewChatMessageCappingEnabled(): boolean;
  };
  WAWebIndividualNewChatMessageCappingLimitUtils: {
    /** The limit of new chats, in Unix seconds. */
    getCappingData():
      | { total_quota?: unknown; used_quota?: unknown; cycle_end_timestamp?: unknown; capping_status?: unknown }
      | null
      | undefined;
    /** False for a person who has not written to the account. */
    canSendMsgWhileCapped(to: { chat: PageChat; contact: unknown }): boolean;
  };
  WAWebChatGroupUtils: {
    /** Whether the composer of the chat is enabled, computed again. The end of a limit alone does not change it. */
    updateCanSend(chat: PageChat): unknown;
  };
}

/** Their parts. */
export const limitParts: Contract<LimitModules> = {
  WAWebUserPrefsIndexedDBStorage: {
    userPrefsIdb: object('limits'),
    'userPrefsIdb.get': fn('limits'),
  },
  WAWebReachoutTimelockUtils: {
    REACHOUT_TIMELOCK_IDB_KEY: { is: 'string', without: ['limits'] },
    canSendMsgWhileTimelocked: fn('limits'),
  },
  WAWebGetReachoutTimelockJob: { fetchReachoutTimelock: fn('limits') },
  WAWebIndividualNewChatMessageCappingLimitGatingUtils: {
    isIndividualNewChatMessageCappingEnabled: fn('limits'),
  },
  WAWebIndividualNewChatMessageCappingLimitUtils: {
    getCappingData: fn('limits'),
    canSendMsgWhileCapped: fn('limits'),
  },
  WAWebChatGroupUtils: { updateCanSend: unchecked() },
};
