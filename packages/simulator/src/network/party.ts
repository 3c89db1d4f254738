import type { AccountRecord } from './account.ts';
import type { GroupRecord } from './group.ts';
import type { Newsletter } from './newsletter.ts';

/** The feed of statuses; who sees one is settled when it is posted. */
export interface StatusFeed {
  readonly kind: 'status';
  readonly id: 'status@broadcast';
}

/** There is one for all: each account sees of it what was posted for it. */
export const statusFeed: StatusFeed = { kind: 'status', id: 'status@broadcast' };

/** Where a message can go: to a person, a group, or the status feed; or where it comes from, a channel. */
export type Party = AccountRecord | GroupRecord | StatusFeed | Newsletter;

/** The id of a party among phones: people by their number. */
export function phoneIdOf(party: Party): string {
  return party.kind === 'person' ? party.pn : party.id;
}
