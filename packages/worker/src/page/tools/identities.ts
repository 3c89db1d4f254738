import type { PageModules } from '../contract/index.ts';
import type { PageContact, PageId, PageWindow } from '../window.ts';

declare const window: PageWindow;

/** Resolves ids of people. */
export interface IdTools {
  /** A module that this build may not have. */
  optional<N extends keyof PageModules>(name: N): Partial<PageModules[N]> | undefined;
  /** The id of a person by phone number, if the page knows it; other ids unchanged. */
  phoneOr(id: PageId | undefined): string | undefined;
  /** The hidden id of a person, if the page knows it. */
  lidOf(id: PageId | object): string | undefined;
  /** Queries the numbers of hidden ids, for two seconds at most; ids without an answer stay hidden. */
  resolveNumbers(ids: readonly (PageId | undefined)[]): Promise<void>;
  /** Before this time, in milliseconds since 1970, the network is better not queried about numbers. */
  readonly lookUpsFrom: number;
  /** False if the number is not registered. Queries the network once; true if this build cannot query. */
  isRegistered(wid: object): Promise<boolean>;
  /** The account's own ids that the page has: by number, then hidden. */
  ownIds(): PageId[];
  /** True for the account's own id, by number or hidden. */
  isMe(id: PageId): boolean;
  /** A contact for the API; its id is by phone number if that is known. */
  contactModel(contact: PageContact): Record<string, unknown>;
}

/**
 * Installs the tools for ids, and gives ids the same serialised form in every build of the page. `lookUpsFrom`: before
 * this time, in milliseconds since 1970, the network is not queried about numbers unless a request needs it.
 */
export function installIdTools(lookUpsFrom: number): void {
  const optional = <N extends keyof PageModules>(name: N): Partial<PageModules[N]> | undefined => {
    try {
      return window.require(name);
    } catch {
      return undefined;
    }
  };

  const readable = (prototype: object) => {
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
  };
  const { createWid } = window.require('WAWebWidFactory');
  readable(window.require('WAWebMsgKey').prototype);
  for (const id of ['0@c.us', '0@g.us', '0@lid']) readable(Object.getPrototypeOf(createWid(id)));

  const me = window.require('WAWebUserPrefsMeUser');
  const { Blocklist } = window.require('WAWebCollections');
  const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

  // From the page's memory: the network is not queried.
  const numberOf = (lid: PageId): PageId | undefined => {
    const numbers = optional('WAWebApiContact')?.getPhoneNumber ?? optional('WAWebLidMigrationUtils')?.toPn;
    try {
      return numbers?.(lid) ?? undefined;
    } catch {
      return undefined; // Some ids look like a person's, and are not.
    }
  };
  const isHidden = (id: PageId | undefined): id is PageId => id !== undefined && String(id).endsWith('@lid');
  const phoneOr = (id: PageId | undefined) => {
    if (!id) return undefined;
    return isHidden(id) ? String(numberOf(id) ?? id) : String(id);
  };
  const lidOf = (id: PageId | object) => {
    if (isHidden(id as PageId)) return String(id);
    try {
      const lid = optional('WAWebApiContact')?.getCurrentLid?.(id);
      return lid ? String(lid) : undefined;
    } catch {
      return undefined;
    }
  };

  // Queries to the network, once for each id.
  const lookUpMs = 2_000;
  const unknownForMs = 600_000;
  const mostLookUps = 5_000;
  const lookUps = new Map<string, { readonly at: number; readonly done: Promise<void> }>();
  let lastLookUp: Promise<void> = Promise.resolve();
  const mayLookUp = () => Date.now() >= lookUpsFrom;
  const resolveNumber = (lid: PageId): Promise<void> => {
    const key = String(lid);
    const known = lookUps.get(key);
    if (known && Date.now() - known.at < unknownForMs) return known.done;
    // One at a time: the network limits the rate of queries.
    lastLookUp = lastLookUp.then(async () => {
      await Promise.race([window.WWebJS.enforceLidAndPnRetrieval(key).catch(() => {}), delay(lookUpMs)]);
    });
    lookUps.delete(key);
    lookUps.set(key, { at: Date.now(), done: lastLookUp });
    for (const oldest of lookUps.keys()) {
      if (lookUps.size <= mostLookUps) break;
      lookUps.delete(oldest);
    }
    return lastLookUp;
  };
  const resolveNumbers = async (ids: readonly (PageId | undefined)[]) => {
    const unknown = ids.filter((id): id is PageId => isHidden(id) && !numberOf(id));
    if (unknown.length === 0 || !mayLookUp()) return;
    await Promise.race([Promise.all(unknown.map(resolveNumber)), delay(lookUpMs)]);
  };
  const registered = new Set<string>();
  const isRegistered = async (wid: object) => {
    const ask = optional('WAWebQueryExistsJob')?.queryWidExists;
    if (!ask) return true; // The next request to the network will fail instead.
    const key = String(wid);
    if (!registered.has(key) && (await ask(wid))?.wid) registered.add(key);
    return registered.has(key);
  };

  const ownIds = () => [me.getMaybeMePnUser(), me.getMaybeMeLidUser()].flatMap((id) => id ?? []);
  const isMe = (id: PageId) => ownIds().some((own) => String(own) === String(id));

  const tools: IdTools = {
    ...{ optional, phoneOr, lidOf, lookUpsFrom, resolveNumbers, isRegistered, ownIds, isMe },
    contactModel: (contact) => {
      const getters = optional('WAWebContactGetters');
      const lid = lidOf(contact.id);
      const isUser = getters?.getIsUser?.(contact) ?? /@(c\.us|lid)$/.test(String(contact.id));
      return {
        id: phoneOr(contact.id),
        lid,
        isHidden: isHidden(contact.id),
        name: getters?.getName ? getters.getName(contact) : contact.name,
        pushname: getters?.getPushname ? getters.getPushname(contact) : contact.pushname,
        isMe: isMe(contact.id),
        isUser,
        isMyContact: optional('WAWebFrontendContactGetters')?.getIsMyContact?.(contact) ?? Boolean(contact.name),
        isWAContact: getters?.getIsWAContact?.(contact) ?? isUser,
        isBusiness: contact.isBusiness,
        isBlocked:
          contact.isContactBlocked === true || Boolean(Blocklist?.get(contact.id) || (lid && Blocklist?.get(lid))),
      };
    },
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };
}
