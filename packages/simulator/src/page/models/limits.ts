import type { WireLimits } from '../wire.ts';
import { cmd } from './conn.ts';

export const LOCK_KEY = 'WAReachoutTimelockState';
const CAP_KEY = 'WANewChatMessageCappingData';

interface Cap {
  readonly total_quota: number;
  readonly used_quota: number;
  readonly cycle_end_timestamp: number;
  readonly capping_status: 'NONE' | 'CAPPED';
}

/** What the page has stored about limits on the account. A lock holds until the network lifts it. */
export const storedLimits = new Map<string, unknown>();

export function storedCap(): Cap | undefined {
  return storedLimits.get(CAP_KEY) as Cap | undefined;
}

/** Stores the limits, and computes the composers again. */
export function storeLimits({ timeLockedUntil, newChats }: WireLimits): void {
  storedLimits.clear();
  if (timeLockedUntil !== null)
    storedLimits.set(LOCK_KEY, {
      state: 'HIDDEN',
      time_enforcement_ends: timeLockedUntil,
      enforcement_type: 'DEFAULT',
    });
  if (newChats) {
    const { total, used, until } = newChats;
    const capping_status = used < total ? 'NONE' : 'CAPPED';
    storedLimits.set(CAP_KEY, { total_quota: total, used_quota: used, cycle_end_timestamp: until, capping_status });
  }
  cmd.trigger('reachout_timelock_state_change');
  cmd.trigger('new_chat_message_capping_state_change');
}

/** Whether the account may write to people who have not written to it. */
export function mayWriteToNewPeople(): boolean {
  const cap = storedCap();
  const isCapped = cap?.capping_status === 'CAPPED' && cap.cycle_end_timestamp * 1_000 > Date.now();
  return !isCapped && !storedLimits.has(LOCK_KEY);
}
