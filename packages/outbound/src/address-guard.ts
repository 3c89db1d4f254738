import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type LookupOwner, type Resolve, resolveName } from './name-resolver.ts';
import { isAllowedAddress, ownAddresses, type Range, rangesIn } from './public-address.ts';

/** Lower ports belong to other protocols, except HTTP's own two. */
const FIRST_FREE_PORT = 1_024;
const HTTP_PORTS = [80, 443];

/** Of one host: an answer of a name server has room for thousands, and each is checked. */
const MAX_ADDRESSES = 64;

/** A URL named by a caller is not allowed. The message says why, and reveals nothing about a private network. */
export class ForbiddenAddressError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'ForbiddenAddressError';
  }
}

/** Why the guard has refused a URL, for its caller. */
export function refusalReason(error: unknown): string {
  return error instanceof ForbiddenAddressError ? error.message : 'its host could not be resolved';
}

/**
 * Guards connections to URLs that callers name: they must resolve to public addresses, or to hosts and ranges that the
 * operator allows.
 */
export class AddressGuard {
  /** Hosts, or hosts and ports, that the operator allows. */
  readonly #hosts: readonly string[];
  readonly #ranges: readonly Range[];
  readonly #resolve: Resolve;

  /** `allowed`: hosts, `host:port` or CIDR ranges. */
  constructor(allowed: readonly string[], resolve: Resolve = resolveName) {
    this.#hosts = allowed.map(canonicalHost);
    this.#ranges = rangesIn(allowed);
    this.#resolve = resolve;
  }

  /**
   * The `lookup` option of a request to this URL. It fails for a host with any address that is not allowed; the
   * connection uses the checked addresses. Throws a ForbiddenAddressError for a URL that is not allowed whatever it
   * resolves to.
   */
  lookupFor(url: URL, by: LookupOwner): LookupFunction {
    const port = portOf(url);
    const isAllowed = this.#allowsHost(url);
    if (!isAllowed && port < FIRST_FREE_PORT && !HTTP_PORTS.includes(port))
      throw new ForbiddenAddressError(`port ${port} is reserved for another protocol`);
    const address = addressIn(url);
    // Node does not call the resolver for an IP address.
    if (isIP(address) !== 0 && !isAllowed && !isAllowedAddress(address, this.#ranges)) throw notPublic();
    return asLookup((host) => this.#addressesOf(host, isAllowed, by));
  }

  /** Resolves the host of a URL now. Rejects with a ForbiddenAddressError, or if it cannot be resolved. */
  async resolve(url: URL, by: LookupOwner): Promise<void> {
    const lookup = this.lookupFor(url, by);
    const host = addressIn(url);
    if (isIP(host) !== 0) return;
    await new Promise<void>((resolve, reject) => {
      lookup(host, { all: true }, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** True if the operator allows the host of a URL by its name, or by a range that its address is in. */
  isAllowedByOperator(url: URL): boolean {
    const address = addressIn(url);
    // An address of this machine is allowed only by a range.
    return this.#allowsHost(url) || isAllowedAddress(address, this.#ranges, [address]);
  }

  async #addressesOf(host: string, isAllowed: boolean, by: LookupOwner): Promise<readonly LookupAddress[]> {
    const addresses = await this.#resolve(host, by);
    if (addresses.length > MAX_ADDRESSES) throw new ForbiddenAddressError('it resolves to too many addresses');
    if (isAllowed) return addresses;
    const own = ownAddresses();
    if (!addresses.every(({ address }) => isAllowedAddress(address, this.#ranges, own))) throw notPublic();
    return addresses;
  }

  #allowsHost(url: URL): boolean {
    return this.#hosts.includes(url.hostname) || this.#hosts.includes(`${url.hostname}:${portOf(url)}`);
  }
}

/** The host of a URL, without the brackets of an IPv6 address. */
export function addressIn({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ protocol, port, username, password }: URL): number {
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new ForbiddenAddressError('only http and https are supported');
  if (username || password) throw new ForbiddenAddressError('it contains a user name or a password');
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** A host, or host and port, normalised like the host of a parsed URL. */
function canonicalHost(entry: string): string {
  const [, host = entry, port = ''] = /^(\[.*\]|[^:]*)(:\d+)?$/.exec(entry) ?? [];
  return URL.canParse(`http://${host}/`) ? `${new URL(`http://${host}/`).hostname}${port}` : entry;
}

/** The `lookup` option of a socket, which requests all addresses or one. */
function asLookup(addressesOf: (host: string) => Promise<readonly LookupAddress[]>): LookupFunction {
  return (host, { all }, done) => {
    addressesOf(host).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) done(new Error('the host has no address'), '');
        else if (all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

function notPublic(): ForbiddenAddressError {
  return new ForbiddenAddressError('it does not resolve to a public address');
}
