import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A network address and its prefix length. */
export type Range = readonly [Address, number];

/** The part of IPv6 that is allocated on the internet; the rest has other purposes. */
const GLOBAL_IPV6 = rangeOf('2000::/3');

/** IPv6 addresses that a translator at the network's border maps to IPv4. */
const NAT64 = rangeOf('64:ff9b::/96');

/**
 * Addresses that are not hosts on the public internet: the special-purpose registries of IANA, and public addresses
 * that clouds use for internal services.
 */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '127.0.0.0/8', // this machine
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10', // private, and shared by carriers
  '169.254.0.0/16', // link-local, and the metadata of most clouds
  '168.63.129.16/32', // Azure's platform services
  '192.0.0.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15', // protocols, 6to4 relays, benchmarks
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24', // documentation
  '224.0.0.0/4',
  '240.0.0.0/4', // multicast; reserved, and broadcast
  '2001::/23', // protocols, such as Teredo, which embeds an IPv4 address
  '2002::/16', // 6to4, which embeds an IPv4 address
  '2001:db8::/32',
  '3fff::/20', // documentation
].map(rangeOf);

/** Parses ranges in CIDR notation, of either family; other entries are ignored. */
export function rangesIn(entries: readonly string[]): Range[] {
  return entries.filter((entry) => ipaddr.isValidCIDR(entry)).map(rangeOf);
}

/**
 * True for an entry that allows every port of this machine, or of one private address. A range of a network is meant to
 * have all of its hosts.
 */
export function allowsEveryPort(entry: string): boolean {
  const [range] = rangesIn([entry]);
  if (range) return ['127.0.0.1', '::1'].some((address) => isAllowedAddress(address, [range], []));
  if (!URL.canParse(`http://${entry}/`) || /:\d+$/.test(entry.replace(/^\[.*\]/, ''))) return false;
  const { hostname } = new URL(`http://${entry}/`);
  const address = hostname.replace(/^\[|\]$/g, '');
  return /^(.*\.)?localhost\.?$/.test(hostname) || (isIP(address) !== 0 && !isAllowedAddress(address, [], []));
}

/**
 * True if an address is on the public internet, or in one of the ranges that the operator allows. An IPv4 address that
 * is embedded in an IPv6 address is checked, too. Addresses of this machine (`own`) are never public: local services
 * trust requests from them. False for an invalid address.
 */
export function isAllowedAddress(written: string, allowed: readonly Range[], own = ownAddresses()): boolean {
  const address = parse(written);
  if (!address) return false;
  if (allowed.some((range) => isIn(address, range))) return true;
  return isPublic(address) && !own.some((other) => equivalents(address).includes(parse(other)?.toString() ?? ''));
}

/** Parses an address; an IPv4-mapped one becomes its IPv4 address. */
function parse(written: string): Address | undefined {
  const family = isIP(written);
  if (family !== 6) return family === 4 ? ipaddr.IPv4.parse(written) : undefined;
  const [withoutZone = ''] = written.split('%');
  // In hex notation: the parser reads ::127.0.0.1, as a resolver writes ::7f00:1, as ::ffff:127.0.0.1.
  return ipaddr.process(new URL(`http://[${withoutZone}]/`).hostname.slice(1, -1));
}

function isPublic(address: Address): boolean {
  if (isIn(address, NAT64)) return isPublic(embeddedIn(address));
  if (address.kind() === 'ipv6' && !isIn(address, GLOBAL_IPV6)) return false;
  return !NOT_PUBLIC.some((range) => isIn(address, range));
}

/** An address, and the IPv4 address that a connection would be translated to. */
function equivalents(address: Address): string[] {
  return isIn(address, NAT64) ? [address.toString(), embeddedIn(address).toString()] : [address.toString()];
}

function embeddedIn(address: Address): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function isIn(address: Address, [network, prefix]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, prefix);
}

function rangeOf(cidr: string): Range {
  const [network, prefix] = ipaddr.parseCIDR(cidr);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && prefix >= 96;
  return isMapped ? [network.toIPv4Address(), prefix - 96] : [network, prefix];
}

/** The addresses of this machine's interfaces. Throws if they cannot be read. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}
