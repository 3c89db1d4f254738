import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4'); // Also matches IPv4-mapped addresses.
LOOPBACK.addAddress('::1', 'ipv6');

/** True for 127.0.0.0/8, also IPv4-mapped, ::1 and `localhost`. Other names are not resolved and count as reachable. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(bare);
  return family !== 0 && LOOPBACK.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/** Parts of 16 bits each. A customer usually has at least a /64. */
const NETWORK_PARTS = 4;

/** The network of an address: an IPv4 address itself, the /64 of an IPv6 address. IPv4-mapped addresses are IPv4. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const parts = parsed.parts.slice(0, NETWORK_PARTS).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
