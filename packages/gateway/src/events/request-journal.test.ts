import { MB } from '@chat-web/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { frameBytesOf, type NewRecord, note } from '../journal/frame.ts';
import { NotStoredError } from '../journal/journal.ts';
import { type Needs, RequestJournal } from './request-journal.ts';

const LIMITS = { maxBytes: 32 * MB, maxAgeMs: 72 * 3_600_000 };
const QUARTER = 8 * MB;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'], now: 0 })); // The shares are refilled.

/** A journal that counts what it stores, and the outcomes: undefined, or the code of the error. */
function counting(disk: () => Promise<void> = async () => {}) {
  const all: NewRecord[] = [];
  const append = async (record: NewRecord) => {
    await disk();
    all.push(record);
  };
  const journal = new RequestJournal({ append, find: async () => undefined }, LIMITS);
  const store = (bytes: number, session: string, keyId?: string, needs?: Needs): Promise<string | undefined> =>
    journal.append(note(session, 'n', '', 'x'.repeat(bytes)), keyId, needs).then(
      () => undefined,
      ({ code, name }) => code ?? name,
    );
  const stored = (isWanted = (_: NewRecord) => true) =>
    all.filter(isWanted).reduce((sum, record) => sum + frameBytesOf(record), 0);
  return { store, stored, journal };
}

describe('what requests store', () => {
  it('is at most a quarter of the journal for a session, and less for a key in all its sessions', async () => {
    const { store, stored } = counting();
    for (let n = 0; n < 40; n += 1) await store(MB / 2, `shop-${n % 20}`, 'key');
    expect(stored()).toBeGreaterThan((QUARTER * 3) / 4 - MB);
    expect(stored()).toBeLessThanOrEqual((QUARTER * 3) / 4);
    expect(await store(MB / 2, 'shop-1', 'key')).toBe('rate_limited');
    // The control: others have their own share.
    expect(await store(MB / 2, 'shop-1', 'other')).toBeUndefined();
    expect(await store(MB / 2, 'shop-1')).toBeUndefined();
    for (let n = 0; n < 40; n += 1) await store(MB / 2, 'main');
    expect(stored(({ session }) => session === 'main')).toBeLessThanOrEqual(QUARTER);
    expect(stored(({ session }) => session === 'main')).toBeGreaterThan(QUARTER - MB);
  });

  it('by others because of a request counts in the share of its key, and no other', async () => {
    const { store, journal } = counting();
    for (let n = 0; n < 5; n += 1) journal.chargeKey('key', MB);
    expect(() => journal.chargeKey('key', 2 * MB)).toThrow('requests with this key have stored too much');
    expect(await store(2 * MB, 'shop-1', 'key')).toBe('rate_limited');
    journal.chargeKey('other', 2 * MB);
    expect(await store(2 * MB, 'shop-1', 'other')).toBeUndefined();
  });

  it('is refused with the time after which there is room', async () => {
    const { store, journal } = counting();
    for (let n = 0; n < 15; n += 1) await store(MB / 2, 'main');
    const refused = journal.append(note('main', 'n', '', 'x'.repeat(MB)), undefined);
    const { retryAfterSeconds, message } = await refused.then(
      () => expect.unreachable(),
      (error) => error,
    );
    expect(message).toContain('CHAT_WEB_JOURNAL_MAX_MB');
    vi.advanceTimersByTime((retryAfterSeconds - 2) * 1_000);
    expect(await store(MB, 'main')).toBe('rate_limited');
    vi.advanceTimersByTime(2_000);
    expect(await store(MB, 'main')).toBeUndefined();
  });

  it('leaves a part of the share to records that are needed more', async () => {
    const { store } = counting();
    for (const [needs, left] of [
      ['half', QUARTER / 2],
      ['eighth', QUARTER / 8],
    ] as const) {
      for (let n = 0; n < 40; n += 1) await store(MB / 4, needs, undefined, needs);
      expect(await store(MB / 4, needs, undefined, needs)).toBe('rate_limited');
      expect(await store(left - MB / 4, needs)).toBeUndefined();
    }
  });

  it('that follows something else is charged, but never refused', async () => {
    const { store } = counting();
    for (let n = 0; n < 20; n += 1) expect(await store(MB / 2, 'main', 'key', 'nothing')).toBeUndefined();
    expect(await store(1, 'main')).toBe('rate_limited');
  });

  it('costs nothing if it could not be stored', async () => {
    let isFull = true;
    const { store } = counting(async () => {
      if (isFull) throw new NotStoredError('no space');
    });
    for (let n = 0; n < 40; n += 1) expect(await store(MB / 2, 'main', 'key')).toBe('NotStoredError');
    isFull = false;
    for (let n = 0; n < 11; n += 1) expect(await store(MB / 2, 'main', 'key')).toBeUndefined();
  });

  it('never exceeds the shares, whoever stores what, and at once', async () => {
    const one = fc.record({
      bytes: fc.nat(QUARTER / 4),
      session: fc.constantFrom('main', 'shop', ''),
      keyId: fc.constantFrom('one', 'two', undefined),
      needs: fc.constantFrom<Needs>('room', 'half', 'eighth'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 60 }), async (requests) => {
        const bytes = new Map<string, number>();
        const { store } = counting();
        await Promise.all(
          requests.map(async ({ bytes: size, session, keyId, needs }) => {
            if (await store(size, session, keyId, needs)) return;
            for (const payer of [session && `session ${session}`, keyId && `key ${keyId}`])
              if (payer) bytes.set(payer, (bytes.get(payer) ?? 0) + size);
          }),
        );
        for (const [payer, taken] of bytes)
          expect(taken).toBeLessThanOrEqual(payer.startsWith('key') ? (QUARTER * 3) / 4 : QUARTER);
      }),
      { numRuns: 30 },
    );
  });
});
