import { describe, expect, it } from 'vitest';
import { isLoopback } from './addresses.ts';

describe('isLoopback', () => {
  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '::1',
    '[::1]',
    '::1%lo',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    'localhost',
    'LOCALHOST',
  ])('is true for %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '::',
    '::ffff:0.0.0.0',
    '192.168.1.7',
    'fe80::1',
    '::127.0.0.1',
    '128.0.0.1',
    '',
    // A name is not an address, whatever its prefix.
    '127.evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'gateway.lan',
  ])('is false for %j', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
