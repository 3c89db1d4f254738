import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { deviceName, proxyOf, proxyUrl } from './proxy.ts';

describe('the proxy of a session', () => {
  it.each<[string, object]>([
    ['http://proxy.example:3128', { url: 'http://proxy.example:3128' }],
    ['http://proxy.example', { url: 'http://proxy.example:80' }],
    ['http://proxy.example:80/', { url: 'http://proxy.example:80' }],
    ['https://proxy.example', { url: 'https://proxy.example:443' }],
    ['https://Proxy.Example:80', { url: 'https://proxy.example:80' }],
    ['socks5://proxy.example', { url: 'socks5://proxy.example:1080' }],
    ['socks5://proxy.example:80', { url: 'socks5://proxy.example:80' }],
    ['socks5://proxy.example:443', { url: 'socks5://proxy.example:443' }],
    ['socks5://0x7f000001:1080', { url: 'socks5://127.0.0.1:1080' }],
    ['socks5://[::1]:1080', { url: 'socks5://[::1]:1080' }],
    ['http://10.1:8080', { url: 'http://10.0.0.1:8080' }],
    ['http://bücher.example:1', { url: 'http://xn--bcher-kva.example:1' }],
    [
      'http://ada:p%40ss%3a%20%25@proxy.example:1',
      { url: 'http://proxy.example:1', username: 'ada', password: 'p@ss: %' },
    ],
    ['http://ada@proxy.example:1', { url: 'http://proxy.example:1', username: 'ada', password: '' }],
    ['http://user-de:12345@proxy.example', { url: 'http://proxy.example:80', username: 'user-de', password: '12345' }],
  ])('may be %s', (written, proxy) => {
    expect(proxyOf(written)).toEqual(proxy);
    expect(v.is(proxyUrl, written)).toBe(true);
  });

  const S = 'Passw0rd-of-the-proxy';
  it.each([
    `ftp://a:${S}@proxy.example:1`,
    `socks4://a:${S}@proxy.example:1`,
    `socks5://a:${S}@proxy.example:1`,
    `HTTP://a:${S}@proxy.example:1`,
    `a:${S}@proxy.example:1`,
    `http://a:${S}@:1`,
    `http://a:${S}@proxy.example:0`,
    `http://a:${S}@proxy.example:65536`,
    `http://a:${S}@proxy.example:1/path`,
    `http://a:${S}@proxy.example:1?query`,
    `http://a:${S}@proxy.example:1#fragment`,
    `http://a:${S}@proxy.example:1\\x`,
    `http://a:${S}@proxy.example :1`,
    ` http://a:${S}@proxy.example:1`,
    `http://a:${S}@proxy.example;direct:1`,
    `http://a:${S}@*:1`,
    `http://a:${S}@${'proxy.example.'.repeat(20)}:1`,
    `http://a:${S}@one,two:1`,
    `http://a:${S}@%@proxy.example:1`,
    `http://a:${S}%zz@proxy.example:1`,
    `http://a%3ab:${S}@proxy.example:1`,
    `http://a:${S}%0a@proxy.example:1`,
    `http://a:${S.repeat(30)}@proxy.example:1`,
    `http://a:${S.repeat(200)}@proxy.example:1`,
  ])('must not be %s, and the error repeats nothing of it', (written) => {
    const { issues = [] } = v.safeParse(proxyUrl, written);
    expect(issues.length).toBeGreaterThan(0);
    for (const { message } of issues) {
      expect(message).toMatch(/^must /);
      expect(message).not.toContain('Passw0rd');
      expect(message).not.toContain('proxy.example');
    }
  });
});

it('the name of a device has 1 to 50 characters', () => {
  for (const name of ['A', 'Shop north', 'x'.repeat(50), 'Büro 📦', "Ada's (2)"])
    expect(v.is(deviceName, name), name).toBe(true);
  for (const name of ['', ' ', ' A', 'A ', 'x'.repeat(51), 'A\nB', 'A\u0000', 7])
    expect(v.is(deviceName, name)).toBe(false);
});
