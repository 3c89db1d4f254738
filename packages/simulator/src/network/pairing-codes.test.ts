import { beforeEach, expect, it, vi } from 'vitest';
import { PairingCodes } from './pairing-codes.ts';
import type { PairingSession } from './pairing-session.ts';
import { AccountRecord } from './records.ts';

const ada = new AccountRecord({ number: '12025550101', name: 'Ada' });
const ben = new AccountRecord({ number: '12025550102', name: 'Ben' });
const session = { noiseKey: 'n' } as PairingSession;
let codes: PairingCodes;

beforeEach(() => {
  vi.useFakeTimers();
  codes = new PairingCodes();
});

it('links the page that shows it, once, to the account that it was created for', () => {
  const code = codes.create(ada, session);
  expect(code).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/);
  expect(codes.take(ben, code)).toBeUndefined();
  expect(codes.take(ada, `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase())).toBe(session);
  expect(codes.take(ada, code)).toBeUndefined();
});

it('is invalid once the page has cancelled it', () => {
  const code = codes.create(ada, session);
  codes.cancel(session);
  expect(codes.take(ada, code)).toBeUndefined();
});

it('is invalid after three minutes, and as soon as the page requests another', () => {
  const [first, second] = [codes.create(ada, session), codes.create(ada, session)];
  expect(codes.take(ada, first)).toBeUndefined();
  vi.advanceTimersByTime(180_001);
  expect(codes.take(ada, second)).toBeUndefined();
});
