import { describe, expect, it } from 'vitest';
import { allowsEveryPort, isAllowedAddress, rangesIn } from './public-address.ts';

const isPublic = (address: string) => isAllowedAddress(address, [], []);

describe('an address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.15',
    '168.63.129.17',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '2001:200::1',
    '2620:fe::fe',
    '3ffe:ffff::1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%lo',
    'febf::1',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    'ff0e::1',
    '100::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '3fff::1',
    '3fff:fff::1',
    '5f00::1',
    '4000::1',
    '1fff::1',
    'e000::1',
  ])('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.42.42',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fe80::a9fe:a9fe',
  ])('%s, a metadata service of a cloud, is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '168.63.129.16', '0.0.0.0', '192.168.1.1', '100.100.100.200'])(
    'that embeds the IPv4 address %s in any form is not public',
    (inside) => {
      const [a = 0, b = 0, c = 0, d = 0] = inside.split('.').map(Number);
      const [high, low] = [(a << 8) | b, (c << 8) | d].map((part) => part.toString(16));
      const forms = [
        `::ffff:${inside}`,
        `::ffff:${high}:${low}`,
        `0:0:0:0:0:ffff:${high}:${low}`, // mapped
        `::${high}:${low}`,
        `::${inside}`,
        `::ffff:0:${inside}`, // compatible, translated
        `64:ff9b::${inside}`,
        `64:ff9b::${high}:${low}`, // NAT64
        `64:ff9b:1::${inside}`,
        `64:ff9b:1:${high}:${low}::`,
        `64:ff9b:1:ffff::${inside}`, // NAT64, local
        `2002:${high}:${low}::1`, // 6to4
        `2001:0:${high}:${low}:0:0:f5ff:fffe`, // Teredo, as its server
        `2001:0:5ef5:79fb:0:0:${(((a << 8) | b) ^ 0xffff).toString(16)}:${(((c << 8) | d) ^ 0xffff).toString(16)}`, // as its client
      ];
      expect(forms.filter(isPublic)).toEqual([]);
    },
  );

  it('that embeds a public IPv4 address in an obsolete form is not public either', () => {
    const forms = ['::8.8.8.8', '::ffff:0:8.8.8.8', '2002:808:808::1', '2001:0:808:808::1', '64:ff9b:1::8.8.8.8'];
    expect(forms.filter(isPublic)).toEqual([]);
  });

  it('is not public if invalid', () => {
    for (const text of ['', 'localhost', '127.0.0.1:80', '1.2.3.4.5', '::g']) expect(isPublic(text), text).toBe(false);
  });
});

it('an address of this machine is not public, in any form', () => {
  const own = ['9.9.9.9', '2606:4700::1'];
  for (const address of ['9.9.9.9', '::ffff:9.9.9.9', '64:ff9b::9.9.9.9', '2606:4700:0:0::1'])
    expect(isAllowedAddress(address, [], own), address).toBe(false);
  expect(isAllowedAddress('9.9.9.10', [], own)).toBe(true);
});

describe('a range that the operator allows', () => {
  const allows = (range: string, address: string) => isAllowedAddress(address, rangesIn([range]), []);

  it('allows its addresses, and no others', () => {
    expect(allows('10.1.0.0/16', '10.1.2.3')).toBe(true);
    expect(allows('10.1.0.0/16', '10.2.0.1')).toBe(false);
    expect(allows('fd12:3456::/32', 'fd12:3456:1::1')).toBe(true);
    expect(allows('fd12:3456::/32', 'fd12:3457::1')).toBe(false);
    expect(allows('169.254.169.254/32', '169.254.169.254')).toBe(true);
  });

  it('is of one family: the other is checked as always', () => {
    for (const range of ['10.0.0.0/8', '0.0.0.0/0']) {
      for (const address of ['::1', 'fe80::1', '64:ff9b::10.0.0.1', '2002:a00:1::1'])
        expect(allows(range, address), `${range} ${address}`).toBe(false);
    }
    for (const range of ['::/0', '::/96', 'fc00::/7', '64:ff9b::/96'])
      for (const address of ['127.0.0.1', '10.0.0.1', '::ffff:10.0.0.1'])
        expect(allows(range, address), `${range} ${address}`).toBe(false);
  });

  it('may be written as IPv4-mapped, and allows such addresses', () => {
    expect(allows('::ffff:10.0.0.0/104', '10.1.2.3')).toBe(true);
    expect(allows('::ffff:10.0.0.0/104', '11.1.2.3')).toBe(true); // Public anyway.
    expect(allows('::ffff:10.1.0.0/112', '10.2.0.1')).toBe(false);
    expect(allows('10.0.0.0/8', '::ffff:10.1.2.3')).toBe(true);
  });

  it('may be listed with host names, which are ignored', () => {
    const ranges = rangesIn(['media.internal:8080', '10.0.0.0/8', 'fd00::/8', '192.168.0.1']);
    expect(isAllowedAddress('10.0.0.1', ranges, [])).toBe(true);
    expect(isAllowedAddress('fd00::1', ranges, [])).toBe(true);
    expect(isAllowedAddress('192.168.0.1', ranges, [])).toBe(false);
  });
});

describe('an entry for hosts', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    'a.localhost',
    '[::1]',
    '10.1.2.3',
    '192.168.0.1',
    '127.0.0.0/8',
    '::1/128',
    '0.0.0.0/0',
  ])('%s allows every port of a private address', (entry) => expect(allowsEveryPort(entry)).toBe(true));

  it.each([
    '127.0.0.1:8080',
    'localhost:80',
    '[::1]:8080',
    '10.0.0.0/8',
    'fd00::/8',
    '8.8.8.8',
    'app.internal',
    '[2606:4700::1]',
  ])('%s does not, or is meant to', (entry) => expect(allowsEveryPort(entry)).toBe(false));
});
