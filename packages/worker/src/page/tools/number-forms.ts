import { dropOldest } from '../drop-oldest.ts';
import type { PageId } from '../models.ts';
import { idsOf, optional, phoneOr } from './identities.ts';

/**
 * In some countries, one line has two forms of its number, and the network knows its owner by one of them. Each entry
 * gives the other form of a number.
 */
const OTHER_FORMS: readonly (readonly [RegExp, string])[] = [
  // Brazil: mobile numbers were extended by a 9.
  [/^(?<area>55\d\d)9(?<line>[6-9]\d{7})@c\.us$/, '$<area>$<line>@c.us'],
  [/^(?<area>55\d\d)(?<line>[6-9]\d{7})@c\.us$/, '$<area>9$<line>@c.us'],
  // Mexico: mobile numbers had a 1 after the country code.
  [/^521(?<line>[2-9]\d{9})@c\.us$/, '52$<line>@c.us'],
  [/^52(?<line>[2-9]\d{9})@c\.us$/, '521$<line>@c.us'],
  // Argentina: mobile numbers have a 9 after the country code in calls from abroad.
  [/^549(?<line>[1-3]\d{9})@c\.us$/, '54$<line>@c.us'],
  [/^54(?<line>[1-3]\d{9})@c\.us$/, '549$<line>@c.us'],
  // Benin: numbers were extended by 01.
  [/^22901(?<line>[2-9]\d{7})@c\.us$/, '229$<line>@c.us'],
  [/^229(?<line>[2-9]\d{7})@c\.us$/, '22901$<line>@c.us'],
];

/** By a number as requested: the id by which the network knows its owner. */
const known = new Map<string, string>();

const MAX_KNOWN = 5_000;

/** Remembers the network's id for a number. */
export function learnForm(id: string, networkId: string): void {
  known.delete(id);
  known.set(id, networkId);
  dropOldest(known, MAX_KNOWN);
}

/** The id by which the network knows a person, as far as that was learnt; other ids unchanged. */
export function networkId(id: string): string {
  return known.get(id) ?? id;
}

/** The ids under which the page may have a person or a chat, the most certain one first. */
export function formsOf(id: string): string[] {
  const learnt = known.get(id);
  if (learnt !== undefined) return [...new Set([learnt, id])];
  return [id, ...OTHER_FORMS.flatMap(([form, other]) => (form.test(id) ? [id.replace(form, other)] : []))];
}

/** The person as the page knows them, by either form of a number; without any trace of them, as far as that was learnt. */
export function personWid(id: string): PageId {
  const { Blocklist, Contact } = window.require('WAWebCollections');
  const { createWid } = window.require('WAWebWidFactory');
  const isKnown = (form: string) =>
    idsOf(createWid(form) as PageId).some((one) => Contact?.get(one) ?? Blocklist?.get(one));
  return createWid(formsOf(id).find(isKnown) ?? networkId(id)) as PageId;
}

/**
 * The id by which the network knows the owner of a number; undefined if it is not registered. Queries the network once
 * for each number. Unchanged if this build cannot query: the next request to the network fails instead.
 */
export async function registeredId(id: string): Promise<string | undefined> {
  const query = optional('WAWebQueryExistsJob')?.queryWidExists;
  if (!query || known.has(id)) return networkId(id);
  const found = await query(window.require('WAWebWidFactory').createWid(id));
  return registeredAs(id, found?.wid ? [String(found.wid)] : []);
}

/**
 * The same from the ids in an answer of the network, none if the number is not registered. Remembered for a number,
 * not for a hidden id.
 */
export function registeredAs(id: string, found: readonly string[]): string | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  const byNumber = found.find((one) => one.endsWith('@c.us'));
  const form = byNumber ?? phoneOr(window.require('WAWebWidFactory').createWid(first) as PageId) ?? first;
  // Some people are known by their hidden id only.
  if (id.endsWith('@c.us')) learnForm(id, form.endsWith('@c.us') ? form : id);
  return form;
}
