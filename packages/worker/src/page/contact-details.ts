import { holds } from './delay.ts';
import type { PageId } from './models.ts';
import { ignored, Refusal, refusedByNetwork } from './refusal.ts';
import { idsOfPeople } from './tools/groups.ts';
import { contactModel, idsOf, isMe, lidOf, lookUpsFrom, phoneOr, queryHiddenIds } from './tools/identities.ts';
import { personWid, registeredAs } from './tools/number-forms.ts';
import type { NumberExists, NumberFound } from './tools/numbers.ts';
import { digitsOf, queryNumbers } from './tools/numbers.ts';

/** Where in the page the user blocks somebody. */
const ENTRY_POINT = 'ChatListBlock';

/**
 * Queries which numbers are registered, in one request, and one for hidden ids whose number the page does not know.
 * `waitMs`: not queried, since the account was linked a moment ago. The page's own function for one number also stores
 * hidden ids.
 */
export async function numbersExist(
  people: string[],
): Promise<{ readonly exist: readonly NumberExists[] } | { readonly waitMs: number }> {
  const waitMs = lookUpsFrom - Date.now();
  if (waitMs > 0) return { waitMs };
  const { createWid } = window.require('WAWebWidFactory');
  const asked = people.map((person) => phoneOr(createWid(person) as PageId) ?? person);
  const { byNumber, byLid } = await queryPeople(asked);
  if (byNumber.size + byLid.size === 0)
    throw new Refusal('client_failed', 'the network returned no result for any of the numbers; retry later');
  const exist = asked.map((person): NumberExists => {
    if (!isHidden(person)) {
      const { isRegistered = null, ids = [] } = byNumber.get(person) ?? {};
      const id = isRegistered ? registeredAs(person, ids) : undefined;
      return { number: digitsOf(person), exists: isRegistered, id };
    }
    const number = byLid.get(person);
    if (number === undefined) return { number: '', exists: null };
    return { number: digitsOf(number ?? person), exists: true, id: number ?? person };
  });
  return { exist };
}

/** Queries people: numbers in one request, and hidden ids in another. */
async function queryPeople(ids: readonly string[]) {
  const each = [...new Set(ids)];
  const [lids, numbers] = [each.filter(isHidden), each.filter((id) => !isHidden(id))];
  return {
    byLid: lids.length > 0 ? await queryHiddenIds(lids) : new Map<string, string | null>(),
    byNumber: numbers.length > 0 ? await queryNumbers(numbers) : new Map<string, NumberFound>(),
  };
}

function isHidden(id: string): boolean {
  return id.endsWith('@lid');
}

/** The network does not say how long to wait for an about text. */
const ABOUT_PAUSE_SECONDS = 60;

/** A person with both ids. Null: no such id, or hidden. Undefined: the network returned no result. */
interface BothIds {
  readonly id: string;
  /** Digits. */
  readonly number: string | null | undefined;
  readonly lid: string | null | undefined;
}

/**
 * Finds the other ids of people: in the page's memory, and the rest with one request for numbers and one for hidden
 * ids. `waitMs`: how long to wait before the next query.
 */
export async function resolveContacts(
  people: string[],
  pauseMs: number,
): Promise<{ readonly found: readonly BothIds[]; readonly isQueried: boolean } | { readonly waitMs: number }> {
  const { createWid } = window.require('WAWebWidFactory');
  const numberIn = (ids: readonly string[]) => ids.find((id) => !isHidden(id))?.replace(/@.*/, '');
  const known = people.map((id): BothIds => {
    const ids = idsOf(createWid(id) as PageId);
    return { id, number: numberIn(ids), lid: ids.find(isHidden) };
  });
  const unknown = known.filter(({ number, lid }) => number === undefined || lid === undefined).map(({ id }) => id);
  if (unknown.length === 0) return { found: known, isQueried: false };
  const waitMs = Math.max(pauseMs, lookUpsFrom - Date.now());
  if (waitMs > 0) return { waitMs };
  const { byLid, byNumber } = await queryPeople(unknown);
  const found = known.map((one): BothIds => {
    const number = byLid.get(one.id);
    if (number !== undefined) return { ...one, number: number && (numberIn([number]) ?? null) };
    const { isRegistered, ids = [] } = byNumber.get(one.id) ?? {};
    if (isRegistered === undefined) return one;
    // The network may return the number in another form than requested.
    return { ...one, number: isRegistered ? (numberIn(ids) ?? one.number) : null, lid: ids.find(isHidden) ?? null };
  });
  return { found, isQueried: true };
}

/**
 * Finds the person with a user name; no id: the person's PIN is needed. `waitMs`: how long to wait before the next
 * query.
 */
export async function findUsername(
  name: string,
  pin: string | undefined,
  pauseMs: number,
): Promise<{ readonly id: string | undefined } | { readonly waitMs: number }> {
  const waitMs = Math.max(pauseMs, lookUpsFrom - Date.now());
  if (waitMs > 0) return { waitMs };
  const found = await window.require('WAWebQueryExistsJob').queryUsernameExists(name, pin);
  if (!found) throw new Refusal('contact_not_found', 'nobody has that user name');
  return { id: found.wid && String(found.wid) };
}

/** Blocks a person, or unblocks one. Returns the person's id. */
export async function setBlocked(
  personId: string,
  isBlocked: boolean,
  settleMs: number,
): Promise<{ readonly id: string }> {
  const { Blocklist, Contact } = window.require('WAWebCollections');
  const { createWid } = window.require('WAWebWidFactory');
  const wid = personWid(personId);
  if (isMe(wid)) throw new Refusal('not_permitted', 'an account cannot block itself');
  const id = phoneOr(wid) ?? personId;
  let lid = lidOf(wid);
  const ids = [lid, id].filter((one) => one !== undefined);
  const listed = () => ids.flatMap((one) => Blocklist?.get(one) ?? [])[0];
  const isDone = () => (listed() !== undefined) === isBlocked;
  const known = ids.flatMap((one) => Contact.get(one) ?? [])[0];
  // A person on the block list need not be a contact.
  if (!known && !listed()) throw new Refusal('contact_not_found', 'the account has no such contact');
  if (isDone()) return { id };
  if (isBlocked && lid === undefined) {
    const [found] = await idsOfPeople([id]);
    lid = typeof found === 'object' ? found.find((one) => one.endsWith('@lid')) : undefined;
    if (lid !== undefined) ids.unshift(lid);
    if (isDone()) return { id };
  }
  // By hidden id, or as listed: for a number without a chat, the page throws.
  const wanted = String((isBlocked ? lid : listed()?.id) ?? id);
  const row = Contact.get(wanted);
  // The page ignores a contact that already has the requested mark.
  const isUsable = row !== undefined && (row.isContactBlocked === true) !== isBlocked;
  const make = () => new Contact.modelClass({ id: createWid(wanted), isContactBlocked: !isBlocked });
  const contact = isUsable ? row : make();
  const { blockContact, unblockContact } = window.require('WAWebBlockContactAction');
  if (isBlocked) await blockContact({ contact, blockEntryPoint: ENTRY_POINT });
  else await unblockContact(contact, ENTRY_POINT);
  if (await holds(isDone, settleMs)) return { id };
  throw ignored();
}

/** The page's rows of blocked people. */
export function listBlocked(): Record<string, unknown>[] {
  const { Blocklist, Contact } = window.require('WAWebCollections');
  return (Blocklist?.getModelsArray() ?? []).flatMap(({ id }) => {
    const rows = idsOf(id).flatMap((one) => {
      const contact = Contact.get(one);
      return contact ? [contactModel(contact)] : [];
    });
    const isHidden = String(id).endsWith('@lid');
    return rows.length > 0 ? rows : [{ id: phoneOr(id), lid: lidOf(id), isHidden, isUser: true, isBlocked: true }];
  });
}

/** Queries a person's about text; null if it is hidden, empty if there is none. */
export async function getAbout(personId: string): Promise<{ readonly about: string | null }> {
  const { createWid } = window.require('WAWebWidFactory');
  const { getStatus } = window.require('WAWebContactStatusBridge');
  const { Chat } = window.require('WAWebCollections');
  // The network knows some people by only one of the two ids.
  const ids = idsOf(personWid(personId));
  // The network requires this token for a text that only contacts may see.
  const tcToken = ids.flatMap((id) => Chat.get(id)?.tcToken ?? [])[0];
  let result: { readonly about: string | null } | undefined;
  for (const id of ids) {
    const { status, stale } = (await getStatus({ wid: createWid(id), token: '', tcToken })) ?? { stale: true };
    // A refusal for this person replaces the text.
    const { errorCode } = (status ?? {}) as { readonly errorCode?: number };
    if (errorCode !== undefined) throw refusedByNetwork(Number(errorCode) || 400);
    if (stale === true) continue;
    if (typeof status === 'string' && status !== '') return { about: status };
    // The network returns an empty text if it is hidden, null if there is none.
    result = { about: status === '' ? (result?.about ?? null) : '' };
  }
  if (result) return result;
  throw new Refusal('rate_limited', 'the network did not return the about text: retry later', {
    retryAfterSeconds: ABOUT_PAUSE_SECONDS,
  });
}

/** The groups that the account shares with a person, from the page's database. */
export async function listCommonGroups(personId: string): Promise<Record<string, unknown>[]> {
  const { Contact } = window.require('WAWebCollections');
  const { createWid } = window.require('WAWebWidFactory');
  const wid = personWid(personId);
  const known = idsOf(wid).flatMap((id) => Contact.get(id) ?? [])[0];
  // A member of a group need not be a contact.
  const contact = known ?? new Contact.modelClass({ id: createWid(lidOf(wid) ?? String(wid)) });
  const shared = await window.require('WAWebFindCommonGroupsContactAction').findCommonGroups(contact);
  return (shared?.getModelsArray() ?? []).map((chat) => ({
    id: String(chat.id),
    subject: chat.formattedTitle ?? chat.name,
    isMember: true,
  }));
}

/** Queries a business profile. */
export async function getBusinessProfile(personId: string): Promise<Record<string, unknown>> {
  const { BusinessProfile: profiles, Contact } = window.require('WAWebCollections');
  const wid = personWid(personId);
  // `find` may return a cached profile of any age.
  const profile = (await (profiles?.fetchBizProfile?.(wid) ?? profiles?.find(wid))) ?? {};
  const { description, email, address, structuredAddress, website, categories, businessHours } = profile;
  return {
    isBusiness: idsOf(wid).some((id) => Contact.get(id)?.isBusiness === true),
    description,
    email,
    address: address ?? structuredAddress?.streetAddress,
    websites: (website ?? []).map((site) => site?.url),
    categories: (categories ?? []).map((category) => category?.localized_display_name),
    hours: businessHours?.config && {
      timezone: businessHours.timezone,
      days: Object.entries(businessHours.config).map(([day, open]) => ({ day, ...(open as object) })),
    },
  };
}
