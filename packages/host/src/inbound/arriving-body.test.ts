import { expect, it } from 'vitest';
import { networkIn } from './arriving-body.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:0:0:a::', '2001:db8:0:0'],
  ['2001:db8::a:b:c:d', '2001:db8:0:0'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('the network of %s is %s', (remoteAddress, network) => {
  expect(networkIn({ incoming: { socket: { remoteAddress } } })).toBe(network);
});

it('is unknown without an address', () => {
  expect([networkIn(undefined), networkIn({ incoming: {} })]).toEqual([undefined, undefined]);
});
