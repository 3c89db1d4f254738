import type { PageModules } from '../contract/index.ts';
import { within } from '../delay.ts';
import { dropOldest } from '../drop-oldest.ts';
import type { PageContact, PageId } from '../models.ts';
import { networkCode, refusedByNetwork } from '../refusal.ts';
import { retrieveIds } from './library.ts';

/** A module that this build may not have. */
export function optional<N extends keyof PageModules>(name: N): Partial<PageModules[N]> | undefined {
  try {
    return window.require(name);
  } catch {
    return undefined;
  }
}

/**
 * Puts what `wrap` makes of a function of the page in its place. False: calls do not pass the wrapper, since this build
 * lacks the function or freezes its modules.
 */
export function wrapFunction<O extends object, N extends keyof O>(
  owner: O | undefined,
  name: N,
  wrap: (own: NonNullable<O[N]>) => O[N],
): boolean {
  const own = owner?.[name];
  if (!owner || typeof own !== 'function') return false;
  const wrapper = wrap(own);
  try {
    owner[name] = wrapper;
  } catch {
    // Strict code throws if it is frozen.
  }
  return owner[name] === wrapper;
}

/** The same with a wrapper that may be in its place already; otherwise, `keep` gets the function. */
export function wrapExport<O extends object, N extends keyof O>(
  owner: O | undefined,
  name: N,
  wrapper: O[N],
  keep: (own: NonNullable<O[N]>) => void,
): boolean {
  return wrapFunction(owner, name, (own) => {
    if (own !== wrapper) keep(own);
    return wrapper;
  });
}

/** The results of all readable rows: one that throws must not fail the others. */
export function eachReadable<T, R>(rows: readonly T[] | null | undefined, read: (row: T) => R): R[] {
  return (rows ?? []).flatMap((row) => {
    try {
      return [read(row)];
    } catch {
      return [];
    }
  });
}

function readable(prototype: object) {
  if (Object.hasOwn(prototype, '_serialized')) return;
  Object.defineProperty(prototype, '_serialized', {
    configurable: true,
    get(): string {
      return String(this);
    },
    // Builds that still have the property set it in the constructor.
    set(value: string) {
      Object.defineProperty(this, '_serialized', { value, writable: true, enumerable: true, configurable: true });
    },
  });
}

/** Before this time, in milliseconds since 1970, avoid queries about numbers. */
export let lookUpsFrom = Number.POSITIVE_INFINITY;

/**
 * Gives ids the same serialised form in every build of the page. `from`: before this time, in milliseconds since 1970,
 * the network is not queried about numbers unless a request needs it.
 */
export function attachIds(from: number): void {
  lookUpsFrom = from;
  const { createWid } = window.require('WAWebWidFactory');
  readable(window.require('WAWebMsgKey').prototype);
  for (const id of ['0@c.us', '0@g.us', '0@lid']) readable(Object.getPrototypeOf(createWid(id)));
}

// From the page's memory, without a query to the network.
function numberOf(lid: PageId): PageId | undefined {
  const numbers = optional('WAWebApiContact')?.getPhoneNumber ?? optional('WAWebLidMigrationUtils')?.toPn;
  try {
    return numbers?.(lid) ?? undefined;
  } catch {
    return undefined; // Some ids look like a person's, but are not.
  }
}

function isHidden(id: PageId | object | undefined): id is PageId {
  return id !== undefined && String(id).endsWith('@lid');
}

/** The id of a person by phone number, if the page knows it; other ids unchanged. */
export function phoneOr(id: PageId | undefined): string | undefined {
  if (!id) return undefined;
  return isHidden(id) ? String(numberOf(id) ?? id) : String(id);
}

/** The hidden id of a person, if the page knows it. */
export function lidOf(id: PageId | object): string | undefined {
  if (isHidden(id)) return String(id);
  try {
    const lid = optional('WAWebApiContact')?.getCurrentLid?.(id);
    return lid ? String(lid) : undefined;
  } catch {
    return undefined;
  }
}

/** All known ids of a person, the given one first. */
export function idsOf(id: PageId): string[] {
  return [...new Set([String(id), lidOf(id), phoneOr(id)].filter((each) => each !== undefined))];
}

/** How long a caller waits for the numbers of hidden ids. */
const NUMBERS_TIMEOUT_MS = 2_000;

const UNKNOWN_FOR_MS = 600_000;

const MAX_KEPT = 5_000;

// The network restricts accounts for many look-ups in a row. Limits the ids per query, and the ids of lists within
// `LISTED_FOR_MS`.
const MAX_CONCURRENT = 20;

const LISTED_FOR_MS = 10_000;

const kept = new Map<string, { readonly at: number; readonly done: Promise<void> }>();

const waiting = new Map<string, { until: number; isLive: boolean; readonly done: Promise<void>; settle(): void }>();

function mayLookUp() {
  return Date.now() >= lookUpsFrom;
}

let hasFailed = false;

function canQueryMany() {
  return (
    !hasFailed &&
    Boolean(
      optional('WAWebUsync')?.USyncQuery &&
        optional('WAWebUsyncUser')?.USyncUser &&
        optional('WAWebDBCreateLidPnMappings')?.createLidPnMappings,
    )
  );
}

/**
 * Queries the numbers of hidden ids in one request, and stores them in the page. Null: the network does not disclose
 * the number. Ids without an answer are missing.
 */
export async function queryHiddenIds(lids: readonly string[]): Promise<Map<string, string | null>> {
  const { createWid } = window.require('WAWebWidFactory');
  const { USyncQuery } = window.require('WAWebUsync');
  const { USyncUser } = window.require('WAWebUsyncUser');
  // The protocols that the page uses to query one id.
  const query = new USyncQuery().withBusinessProtocol().withDisappearingModeProtocol();
  for (const lid of lids) query.withUser(new USyncUser().withId(createWid(lid) as PageId));
  const { error = {}, list = [] } = (await query.execute()) ?? {};
  const [refused] = Object.values(error).flatMap((one) => one?.errorCode ?? []);
  const answered = list.flatMap(({ id, pn }) => (isHidden(id) ? [{ lid: id, pn }] : []));
  if (refused !== undefined && answered.length === 0) throw refusedByNetwork(Number(refused) || 400);
  const mappings = answered.flatMap(({ lid, pn }) => (pn ? [{ lid, pn }] : []));
  const learn = optional('WAWebDBCreateLidPnMappings')?.createLidPnMappings;
  if (mappings.length > 0) await learn?.({ mappings, flushImmediately: true, learningSource: 'usync' });
  return new Map(answered.map(({ lid, pn }) => [String(lid), pn ? String(pn) : null]));
}

async function queryNumbersOf(lids: readonly string[]): Promise<void> {
  const [only] = lids;
  if (lids.length > 1) await queryHiddenIds(lids);
  else if (only !== undefined) await retrieveIds(only);
}

/** The next ids that a caller still waits for: those of live events first. */
function takeNext(): string[] {
  for (const [key, { until, settle }] of waiting) {
    if (until > Date.now()) continue;
    waiting.delete(key);
    settle();
  }
  const max = canQueryMany() ? MAX_CONCURRENT : 1;
  const next = [...waiting].sort(([, one], [, other]) => Number(other.isLive) - Number(one.isLive)).slice(0, max);
  return next.map(([key]) => key);
}

let isLookingUp = false;

// One query at a time: the network limits their rate.
async function lookUpWaiting() {
  if (isLookingUp) return;
  isLookingUp = true;
  for (let next = takeNext(); next.length > 0; next = takeNext()) {
    const taken = next.map((key) => {
      const entry = waiting.get(key);
      waiting.delete(key);
      if (entry) kept.set(key, { at: Date.now(), done: entry.done });
      return entry;
    });
    dropOldest(kept, MAX_KEPT);
    const looked = queryNumbersOf(next).catch((error: unknown) => {
      // This build uses another form of the query: from now on, one by one. Not after a failure of the network.
      const isOther = error instanceof TypeError || networkCode(error) === 400;
      if (next.length > 1 && isOther) hasFailed = true;
    });
    await within(looked, NUMBERS_TIMEOUT_MS);
    for (const entry of taken) entry?.settle();
  }
  isLookingUp = false;
}

let listed = { since: 0, count: 0 };

function mayList() {
  if (Date.now() - listed.since >= LISTED_FOR_MS) listed = { since: Date.now(), count: 0 };
  listed.count += 1;
  return listed.count <= MAX_CONCURRENT;
}

function resolveNumber(key: string, isLive: boolean): Promise<void> {
  const known = kept.get(key);
  if (known && Date.now() - known.at < UNKNOWN_FOR_MS) return known.done;
  kept.delete(key);
  const until = Date.now() + NUMBERS_TIMEOUT_MS;
  const before = waiting.get(key);
  if (before) {
    Object.assign(before, { until, isLive: isLive || before.isLive });
    return before.done;
  }
  if (!isLive && !mayList()) return Promise.resolve();
  let settle = () => {};
  const done = new Promise<void>((resolve) => {
    settle = resolve;
  });
  waiting.set(key, { until, isLive, done, settle });
  return done;
}

/**
 * Queries the numbers of hidden ids, for two seconds at most; ids without an answer stay hidden. Ids of live events
 * come first; from lists, only a few are queried.
 */
export async function resolveNumbers(ids: readonly (PageId | undefined)[], isLive = false): Promise<void> {
  const unknown = new Set(ids.filter((id): id is PageId => isHidden(id) && !numberOf(id)).map(String));
  if (unknown.size === 0 || !mayLookUp()) return;
  const done = Promise.all(
    [...unknown].slice(0, isLive ? MAX_CONCURRENT : undefined).map((id) => resolveNumber(id, isLive)),
  );
  void lookUpWaiting();
  await within(done, NUMBERS_TIMEOUT_MS);
}

/** The account's own ids that the page knows: by number, then hidden. */
export function ownIds(): PageId[] {
  const me = window.require('WAWebUserPrefsMeUser');
  return [me.getMaybeMePnUser(), me.getMaybeMeLidUser()].flatMap((id) => id ?? []);
}

/** True for the account's own id, by number or hidden. */
export function isMe(id: PageId): boolean {
  return ownIds().some((own) => String(own) === String(id));
}

/** The user name of a person, as far as the page knows it. */
export function usernameOf(id: PageId | undefined): string | undefined {
  if (!id) return undefined;
  const { Contact } = window.require('WAWebCollections');
  return idsOf(id).flatMap((one) => Contact?.get(one)?.username ?? [])[0];
}

/** The name that another person chose, as far as the page knows it. */
export function pushnameOf(id: PageId | undefined): string | undefined {
  if (!id || isMe(id)) return undefined;
  const { Contact } = window.require('WAWebCollections');
  // In some builds, only the contact by hidden id has the name.
  return idsOf(id).flatMap((one) => Contact?.get(one)?.pushname || [])[0];
}

/** Whether the account has saved a contact. */
export function isMyContact(contact: PageContact): boolean {
  return optional('WAWebFrontendContactGetters')?.getIsMyContact?.(contact) ?? Boolean(contact.name);
}

/** A contact for the API, with an id by phone number if known. */
export function contactModel(contact: PageContact): Record<string, unknown> {
  const getters = optional('WAWebContactGetters');
  const { Blocklist } = window.require('WAWebCollections');
  const lid = lidOf(contact.id);
  const isUser = getters?.getIsUser?.(contact) ?? /@(c\.us|lid|bot)$/.test(String(contact.id));
  return {
    id: phoneOr(contact.id),
    lid,
    isHidden: isHidden(contact.id),
    name: getters?.getName ? getters.getName(contact) : contact.name,
    pushname: getters?.getPushname ? getters.getPushname(contact) : contact.pushname,
    username: contact.username,
    isMe: isMe(contact.id),
    isUser,
    isMyContact: isMyContact(contact),
    isWAContact: getters?.getIsWAContact?.(contact) ?? isUser,
    isBusiness: contact.isBusiness,
    isBlocked: contact.isContactBlocked === true || Boolean(Blocklist?.get(contact.id) || (lid && Blocklist?.get(lid))),
  };
}
