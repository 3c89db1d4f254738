import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAccount } from './account.ts';
import type { Offer } from './offer.ts';
import { PairingCodes } from './pairing-codes.ts';

const ada = createAccount({ number: '12025550101', name: 'Ada' });
const ben = createAccount({ number: '12025550102', name: 'Ben' });
const offer = { noiseKey: 'n' } as Offer;
let codes: PairingCodes;

beforeEach(() => {
  vi.useFakeTimers();
  codes = new PairingCodes();
});

afterEach(() => {
  vi.useRealTimers();
});

it('links the page that shows it, once, to the account that it was created for', () => {
  const code = codes.create(ada, offer);
  expect(code).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/);
  expect(codes.take(ben, code)).toBeUndefined();
  expect(codes.take(ada, `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase())).toBe(offer);
  expect(codes.take(ada, code)).toBeUndefined();
});

it('is invalid once the page has cancelled it, and counts for an hour', () => {
  const code = codes.create(ada, offer);
  codes.cancel(offer);
  expect([codes.take(ada, code), codes.countOf(ada), codes.countOf(ben)]).toEqual([undefined, 1, 0]);
  vi.advanceTimersByTime(3_600_000);
  expect(codes.countOf(ada)).toBe(0);
});

it('is invalid after three minutes, and as soon as the page requests another', () => {
  const [first, second] = [codes.create(ada, offer), codes.create(ada, offer)];
  expect(codes.take(ada, first)).toBeUndefined();
  vi.advanceTimersByTime(180_001);
  expect(codes.take(ada, second)).toBeUndefined();
});
