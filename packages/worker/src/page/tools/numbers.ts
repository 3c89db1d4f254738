import { refusedByNetwork } from '../refusal.ts';
import { optional } from './identities.ts';

/** The network's answer about a number. */
export interface NumberFound {
  readonly isRegistered: boolean;
  /** The ids of its owner. */
  readonly ids: readonly string[];
}

/** Whether a number is registered, and the id by which the network knows its owner. */
export interface NumberExists {
  /** Digits; empty for a hidden id whose number is unknown. */
  readonly number: string;
  /** Null: the network returned no result for it. */
  readonly exists: boolean | null;
  readonly id?: string | undefined;
}

/** The digits of a number; none of a hidden id or a bot. */
export function digitsOf(id: unknown): string {
  return /@(lid|bot)$/.test(String(id)) ? '' : String(id ?? '').replace(/@.*|\D/g, '');
}

/**
 * Queries many numbers in one request. Returns a map by number, as given; numbers without an answer are missing.
 * Rejects with an error of the page or of the network.
 */
export async function queryNumbers(numbers: readonly string[]): Promise<Map<string, NumberFound>> {
  const { USyncQuery, USYNC_ADDRESSING_MODE: modes } = window.require('WAWebUsync');
  const { USyncUser } = window.require('WAWebUsyncUser');
  // As the page itself queries: otherwise the answer has no hidden ids.
  const isByLid = optional('WAWebUsernameGatingUtils')?.usernameContactUsyncLidBased?.() ?? true;
  const query =
    isByLid && modes?.LID
      ? new USyncQuery().withContactProtocol(modes.LID)
      : new USyncQuery().withContactProtocol(modes?.PN).withLidProtocol();
  for (const number of numbers) query.withUser(new USyncUser().withPhone(`+${digitsOf(number)}`));
  const { error = {}, list = [] } = (await query.execute()) ?? {};
  const found = new Map<string, NumberFound>();
  for (const { contact, pn, lid, id } of list) {
    if (contact?.errorCode !== undefined) continue;
    const isRegistered = contact?.type === 'in';
    // The number as requested; the person's own number may have another form.
    const forms = new Set([contact?.content, ...(isRegistered ? [pn, id] : [])].map(digitsOf));
    // A refusal for only the hidden id replaces it.
    const ids = [id, pn, lid].map(String).filter((one) => /^\d+@\S+$/.test(one));
    for (const number of numbers)
      if (forms.has(digitsOf(number)) && !found.get(number)?.isRegistered) found.set(number, { isRegistered, ids });
  }
  const ofOne = list.find(({ contact }) => contact?.errorCode !== undefined)?.contact;
  const refused = error.all ?? error.contact ?? (found.size === 0 ? ofOne : undefined);
  if (refused) throw refusedByNetwork(Number(refused.errorCode) || 400);
  return found;
}
