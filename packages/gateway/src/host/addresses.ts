import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4'); // IPv4-mapped addresses, too.
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * True for an address that other machines cannot reach: 127.0.0.0/8, ::1, also IPv4-mapped, and `localhost`. Any other
 * name counts as reachable: what it stands for is not ours to say.
 */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(bare);
  return family !== 0 && LOOPBACK.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/** How many of the 16-bit parts of an IPv6 address name the network: 64 bits are what one customer has at least. */
const NETWORK_PARTS = 4;

/** The network that an address belongs to: of an IPv4 one itself, of an IPv6 one its /64. IPv4-mapped ones are IPv4. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, NETWORK_PARTS)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : parsed.toString();
}
