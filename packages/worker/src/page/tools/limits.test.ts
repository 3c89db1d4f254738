import { beforeEach, describe, expect, it, vi } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import type { PageChat } from '../models.ts';
import { accountLimits, isComposerDisabled, limitOf } from './limits.ts';

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));

const CAP = 'WAWebIndividualNewChatMessageCappingLimitUtils';
/** A page with these limits stored, as far as it has modules for them. */
function page(lock: object | undefined, cap: object | null | undefined, more: Record<string, object> = {}): void {
  stubPage({
    WAWebUserPrefsIndexedDBStorage: { userPrefsIdb: { get: (key: string) => (key === 'lock' ? lock : undefined) } },
    WAWebReachoutTimelockUtils: { REACHOUT_TIMELOCK_IDB_KEY: 'lock', canSendMsgWhileTimelocked: () => false },
    WAWebIndividualNewChatMessageCappingLimitGatingUtils: { isIndividualNewChatMessageCappingEnabled: () => true },
    [CAP]: { getCappingData: () => cap, canSendMsgWhileCapped: () => false },
    ...more,
  });
}
const locked = { time_enforcement_ends: NOW + HOUR_MS };
const capped = (status: string, used = 5) => ({
  total_quota: 5,
  used_quota: used,
  cycle_end_timestamp: (NOW + HOUR_MS) / 1_000,
  capping_status: status,
});

it.each([
  ['none', undefined, undefined, []],
  ['a time lock', locked, null, [{ kind: 'time_lock', untilMs: NOW + HOUR_MS }]],
  ['some new chats left', undefined, capped('NONE', 3), [{ kind: 'new_chats', untilMs: NOW + HOUR_MS, remaining: 2 }]],
  ['no new chats left', undefined, capped('CAPPED', 3), [{ kind: 'new_chats', untilMs: NOW + HOUR_MS, remaining: 0 }]],
  [
    'its count used up, but not capped',
    undefined,
    capped('NONE', 5),
    [{ kind: 'new_chats', untilMs: NOW + HOUR_MS, remaining: 1 }],
  ],
  ['a count without a limit', undefined, { ...capped('NONE', 5), total_quota: 0 }, []],
  ['a count that has ended', undefined, { ...capped('CAPPED'), cycle_end_timestamp: 1 }, []],
])('the limits of an account with %s', (_what, lock, cap, expected) => {
  page(lock, cap);
  expect(accountLimits()).toEqual(expected);
});

it('a build without these modules reports no limits', () => {
  stubPage({});
  expect(accountLimits()).toEqual([]);
});

it('the network is asked about a lock whose time is over, once a minute', () => {
  const fetchReachoutTimelock = vi.fn(async () => {});
  page({ time_enforcement_ends: NOW - 1 }, null, { WAWebGetReachoutTimelockJob: { fetchReachoutTimelock } });
  for (let seconds = 0; seconds <= 75; seconds += 15) {
    vi.setSystemTime(NOW + seconds * 1_000);
    accountLimits();
  }
  expect(fetchReachoutTimelock).toHaveBeenCalledTimes(2);
});

it('the end of a lock is unknown if the network does not say: the page stores a minute', () => {
  page({ time_enforcement_ends: NOW + HOUR_MS }, null);
  vi.setSystemTime(NOW + 2 * HOUR_MS);
  accountLimits();
  page({ time_enforcement_ends: NOW + 2 * HOUR_MS + 60_000 }, null);
  expect(accountLimits()).toEqual([{ kind: 'time_lock' }]);
});

describe('a disabled composer', () => {
  const chat = { id: '1@c.us', canSend: false } as unknown as PageChat;

  it('is computed again: the end of a limit does not enable it', () => {
    page(undefined, null, { WAWebChatGroupUtils: { updateCanSend: () => true } });
    expect(isComposerDisabled(chat)).toBe(false);
    page(undefined, null, { WAWebChatGroupUtils: { updateCanSend: () => false } });
    expect(isComposerDisabled(chat)).toBe(true);
    page(undefined, null);
    expect(isComposerDisabled(chat)).toBe(true);
    expect(isComposerDisabled({ ...chat, canSend: undefined } as unknown as PageChat)).toBe(false);
  });

  it('is explained by the limit that applies to that person', () => {
    page(locked, capped('CAPPED'));
    expect(limitOf(chat)).toMatchObject({ kind: 'time_lock' });
    page(undefined, capped('CAPPED'));
    expect(limitOf(chat)).toMatchObject({ kind: 'new_chats' });
    page(undefined, capped('NONE', 3));
    expect(limitOf(chat)).toBeUndefined();
    page(undefined, capped('CAPPED'), {
      [CAP]: { getCappingData: () => capped('CAPPED'), canSendMsgWhileCapped: () => true },
    });
    expect(limitOf(chat)).toBeUndefined();
  });
});
