import ipaddr from 'ipaddr.js';

/**
 * True for an address that other machines cannot reach: 127.0.0.0/8, ::1, also IPv4-mapped, and `localhost`. Any other
 * name counts as reachable: what it stands for is not ours to say.
 */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}
