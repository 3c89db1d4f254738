import { type LookupAddress, TIMEOUT } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Who asks for the addresses of a host. */
export interface LookupOwner {
  /** A key, a session or a request: look-ups of one owner do not hold those of others. Undefined: the operator. */
  readonly owner: string | undefined;
  /** Cancels the look-up. */
  readonly signal?: AbortSignal;
}

/** Resolves the addresses of a host: at least one. */
export type Resolve = (host: string, by: LookupOwner) => Promise<readonly LookupAddress[]>;

/** Where names are looked up; the default is what the machine uses. */
export interface ResolverFiles {
  readonly hostsFile?: string;
  /** In the format of resolv.conf: its search domains. */
  readonly resolverFile?: string;
  /** Addresses of name servers; by default, those of the machine's resolv.conf. */
  readonly servers?: readonly string[];
}

/** A look-up that callers of one owner share. */
interface Lookup {
  readonly result: Promise<readonly LookupAddress[]>;
  readonly cancelling: AbortController;
  callers: number;
}

/** The look-ups of one owner: how many run, and those that wait. */
interface Turns {
  running: number;
  readonly waiting: Set<() => void>;
}

/** How long a look-up may take, together with its wait for others of its owner. */
const TIMEOUT_MS = 5_000;
/** Leaves time to ask a second name server. */
const FIRST_TRY_MS = 1_500;
/** More than there is time for: with two, the last ends after 4 or 5 s, by chance. */
const TRIES = 3;
const MAX_LOOKUPS_PER_OWNER = 16;
const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks up the names of hosts that callers choose: in the hosts file, then at the name servers of the machine, with its
 * search domains. The system's own look-up has no time limit, and few threads for the whole process: some names whose
 * name server is silent would hold the look-ups of everyone.
 */
export class NameResolver {
  readonly #files: ResolverFiles;
  readonly #lookups = new Map<string, Lookup>();
  readonly #turns = new Map<string | undefined, Turns>();

  constructor(files: ResolverFiles = {}) {
    this.#files = files;
  }

  /** Rejects after 5 s, when the signal aborts, or if the host has no address. */
  readonly resolve: Resolve = async (host, { owner, signal }) => {
    signal?.throwIfAborted();
    const key = `${host} ${owner ?? ''}`;
    const lookup = this.#lookups.get(key) ?? this.#begin(key, host, owner);
    lookup.callers += 1;
    const { promise: aborted, stop } = abortOf(signal);
    try {
      return await Promise.race([lookup.result, aborted]);
    } finally {
      stop();
      lookup.callers -= 1;
      if (lookup.callers === 0) {
        if (this.#lookups.get(key) === lookup) this.#lookups.delete(key);
        lookup.cancelling.abort();
      }
    }
  };

  #begin(key: string, host: string, owner: string | undefined): Lookup {
    const cancelling = new AbortController();
    const { signal } = cancelling;
    const tooSlow = Object.assign(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`), { code: TIMEOUT });
    const timer = setTimeout(() => cancelling.abort(tooSlow), TIMEOUT_MS).unref();
    const result = this.#inTurn(owner, signal, () => lookUp(host, signal, this.#files)).finally(() =>
      clearTimeout(timer),
    );
    const lookup = { result, cancelling, callers: 0 };
    this.#lookups.set(key, lookup);
    return lookup;
  }

  async #inTurn<R>(owner: string | undefined, signal: AbortSignal, work: () => Promise<R>): Promise<R> {
    const turns = this.#turns.get(owner) ?? { running: 0, waiting: new Set() };
    this.#turns.set(owner, turns);
    if (turns.running < MAX_LOOKUPS_PER_OWNER) turns.running += 1;
    else await nextTurn(turns, signal);
    try {
      return await work();
    } finally {
      const [next] = turns.waiting;
      if (next) next();
      else turns.running -= 1;
      if (turns.running === 0) this.#turns.delete(owner);
    }
  }
}

/** The resolver of this process. */
export const { resolve: resolveName } = new NameResolver();

/** Resolves when another look-up hands over its place. */
function nextTurn({ waiting }: Turns, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      waiting.delete(enter);
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      waiting.delete(enter);
      reject(signal.reason);
    };
    waiting.add(enter);
    signal.addEventListener('abort', leave, { once: true });
  });
}

/** A promise that rejects when the signal aborts, until `stop`. */
function abortOf(signal: AbortSignal | undefined) {
  let abort = () => {};
  const promise = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
  });
  return { promise, stop: () => signal?.removeEventListener('abort', abort) };
}

async function lookUp(host: string, signal: AbortSignal, files: ResolverFiles): Promise<readonly LookupAddress[]> {
  const { hostsFile = '/etc/hosts', resolverFile = '/etc/resolv.conf', servers } = files;
  const name = host.toLowerCase().replace(/\.$/, '');
  const listed = addressesIn(await textOf(hostsFile), name);
  if (listed.length > 0) return listed;
  if (/(^|\.)localhost$/.test(name)) return LOCALHOST;
  const candidates = host.endsWith('.') ? [host] : searchedNames(await textOf(resolverFile), name);
  signal.throwIfAborted();
  // A new one reads the machine's settings again, and can be cancelled alone.
  const resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  let failure: unknown;
  for (const candidate of candidates) {
    const outcomes = await Promise.allSettled([resolver.resolve4(candidate), resolver.resolve6(candidate)]);
    const found = outcomes.flatMap((outcome, n) =>
      outcome.status === 'fulfilled' ? outcome.value.map((address) => ({ address, family: n === 0 ? 4 : 6 })) : [],
    );
    // Also if one of the two got no answer in time: some name servers ignore queries for IPv6.
    if (found.length > 0) return found;
    signal.throwIfAborted();
    failure ??= outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }
  throw failure;
}

function addressesIn(hosts: string, name: string): LookupAddress[] {
  if (!hosts.toLowerCase().includes(name)) return [];
  return hosts
    .toLowerCase()
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
    .filter(([address = '', ...names]) => isIP(address) !== 0 && names.includes(name))
    .map(([address = '']) => ({ address, family: isIP(address) }));
}

/** A name and that name in each search domain, in the order in which they are tried. */
function searchedNames(settings: string, name: string): string[] {
  const [, domains = ''] = [...settings.matchAll(/^(?:search|domain)[ \t]+(.*)$/gm)].at(-1) ?? [];
  const [, ndots = '1'] = /^options\b.*\bndots:(\d{1,2})/m.exec(settings) ?? [];
  const isQualified = name.split('.').length > Number(ndots);
  const searched = domains
    .split(/\s+/)
    .map((domain) => domain.replace(/\.$/, ''))
    .filter((domain) => domain !== '')
    .map((domain) => `${name}.${domain}`);
  return isQualified ? [name, ...searched] : [...searched, name];
}

/** Empty if it cannot be read. */
function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
