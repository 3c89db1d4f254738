import type { Party, StatusFeed } from './records.ts';

/** Shared by all: each account sees the statuses that were posted for it. */
export const statusFeed: StatusFeed = { kind: 'status', id: 'status@broadcast' };

/** The id of a party as phones see it: people by their number. */
export function phoneIdOf(party: Party): string {
  return party.kind === 'person' ? party.pn : party.id;
}
