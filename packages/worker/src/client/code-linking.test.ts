import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CodeAnswer } from '../page/linking.ts';
import { CodeLinking } from './code-linking.ts';

const ADA = '12025550101';
const BEN = '12025550102';
const SECOND = 1_000;
const CODE_MS = 180 * SECOND;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-01T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Codes of a page that answers so, and gives a new code each time otherwise. */
function codes(...answers: (CodeAnswer | Promise<CodeAnswer>)[]) {
  const told: string[] = [];
  let given = 0;
  const ask = vi.fn(async (_number: string, _notifiesPhone: boolean) => {
    given += 1;
    return answers.shift() ?? ({ is: 'code', code: `CODE000${given}` } as const);
  });
  const returnToQr = vi.fn(async () => {});
  const log = vi.fn();
  const linking = new CodeLinking({
    ...{ ask, returnToQr, log },
    onVoid: () => told.push('void'),
    onCode: (number, { code }) => told.push(`${number} ${code}`),
    onOver: () => told.push('over'),
  });
  return { linking, told, ask, returnToQr, log };
}

describe('a code', () => {
  it('is renewed when it expires, twice, without a notice on the phone; then the QR is back', async () => {
    const { linking, told, ask, returnToQr } = codes();
    expect(await linking.request(ADA)).toEqual({ code: 'CODE0001', expiresAt: '2026-11-01T12:03:00.000Z' });
    expect(linking.isActive).toBe(true);
    await vi.advanceTimersByTimeAsync(CODE_MS - 1);
    expect(ask).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2 * CODE_MS);
    expect(ask.mock.calls).toEqual([
      [ADA, true],
      [ADA, false],
      [ADA, false],
    ]);
    expect(returnToQr).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(CODE_MS);
    expect(told).toEqual(['void', `${ADA} CODE0001`, `${ADA} CODE0002`, `${ADA} CODE0003`, 'void', 'over']);
    expect(returnToQr).toHaveBeenCalledTimes(1);
    expect(linking.isActive).toBe(false);
    await vi.advanceTimersByTimeAsync(10 * CODE_MS);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it('is the same for the same number while it holds, and another for another number', async () => {
    const { linking, ask } = codes();
    const [first, again] = await Promise.all([linking.request(ADA), linking.request(ADA)]);
    expect(again).toEqual(first);
    expect((await linking.request(BEN)).code).toBe('CODE0002');
    await vi.advanceTimersByTimeAsync(CODE_MS - 10 * SECOND);
    expect((await linking.request(BEN)).code).toBe('CODE0003');
    await vi.advanceTimersByTimeAsync(CODE_MS - SECOND);
    expect(ask.mock.calls.map(([number]) => number)).toEqual([ADA, BEN, BEN]); // The timers of the former are gone.
  });

  it('is not asked for more than six times in ten minutes, whoever asks', async () => {
    const { linking, ask } = codes();
    for (const number of [ADA, BEN, ADA, BEN, ADA, BEN]) {
      await linking.request(number);
      await vi.advanceTimersByTimeAsync(SECOND);
    }
    await expect(linking.request(ADA)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 594 });
    expect((await linking.request(BEN)).code).toBe('CODE0006'); // The present one.
    expect(ask).toHaveBeenCalledTimes(6);
    linking.forget();
    await vi.advanceTimersByTimeAsync(594 * SECOND);
    expect((await linking.request(ADA)).code).toBe('CODE0007');
  });

  it('is renewed when the network wants that, and not while one that was typed is being linked', async () => {
    const { linking, told, ask } = codes({ is: 'code', code: 'CODE0001' }, { is: 'typed' });
    await linking.request(ADA);
    linking.renew();
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(told).toEqual(['void', `${ADA} CODE0001`]);
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(told.at(-1)).toBe(`${ADA} CODE0003`);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it('that cannot be renewed is followed by the QR', async () => {
    const refused: CodeAnswer = { is: 'refused', name: 'IQErrorRateOverlimit', code: 429 };
    const { linking, told, log } = codes({ is: 'code', code: 'CODE0001' }, refused);
    await linking.request(ADA);
    await vi.advanceTimersByTimeAsync(CODE_MS);
    expect(told.slice(-2)).toEqual(['void', 'over']);
    expect(log).toHaveBeenCalledWith('warn', 'pairing code not renewed', {
      error: expect.stringContaining('too many'),
    });
  });

  it('is forgotten without a word to the page when that is linked: a renewal would break the link', async () => {
    const { linking, told, ask, returnToQr } = codes();
    await linking.request(ADA);
    linking.forget();
    linking.renew();
    linking.cancel();
    await vi.advanceTimersByTimeAsync(2 * CODE_MS);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(returnToQr).not.toHaveBeenCalled();
    expect(told).toEqual(['void', `${ADA} CODE0001`]);
  });
});

describe('a request', () => {
  it.each([
    [
      { is: 'refused', name: 'IQErrorBadRequest', code: 400 },
      { code: 'invalid_request', issues: [{ path: 'phoneNumber' }] },
    ],
    [
      { is: 'refused', name: 'IQErrorRateOverlimit', code: 429 },
      { code: 'rate_limited', retryAfterSeconds: 3_600 },
    ],
    [{ is: 'refused', name: 'IQErrorForbidden', code: 403 }, { code: 'not_permitted' }],
    [{ is: 'refused', name: 'IQErrorFeatureNotAvailable', code: 452 }, { code: 'client_failed' }],
    [{ is: 'refused', name: undefined, code: undefined }, { code: 'client_failed' }],
    [{ is: 'not_unpaired' }, { code: 'qr_not_available' }],
    [{ is: 'typed' }, { code: 'qr_not_available' }],
  ] as const)('that is answered %o is an error, and the QR follows', async (answer, error) => {
    const { linking, told } = codes(answer);
    await expect(linking.request(ADA)).rejects.toMatchObject(error);
    expect(told).toEqual(['void', 'void', 'over']);
    expect(linking.isActive).toBe(false);
    expect((await linking.request(ADA)).code).toBe('CODE0002');
  });

  it('ends although the page hangs, and so does the one behind it', async () => {
    const { linking, told } = codes(new Promise(() => {}));
    const first = expect(linking.request(ADA)).rejects.toMatchObject({ code: 'outcome_unknown' });
    const second = linking.request(BEN);
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    await first;
    expect((await second).code).toBe('CODE0002');
    expect(told).toEqual(['void', 'void', 'over', 'void', `${BEN} CODE0002`]);
  });

  it('whose page is linked meanwhile is an error, and its code is not shown', async () => {
    let answer = (_: CodeAnswer) => {};
    const { linking, told, returnToQr } = codes(
      new Promise<CodeAnswer>((resolve) => {
        answer = resolve;
      }),
    );
    const request = expect(linking.request(ADA)).rejects.toMatchObject({ code: 'qr_not_available' });
    await vi.advanceTimersByTimeAsync(0);
    linking.forget();
    answer({ is: 'code', code: 'CODE0001' });
    await request;
    expect(told).toEqual(['void']);
    expect(returnToQr).not.toHaveBeenCalled();
  });

  it('for a code of another form than codes have is an error', async () => {
    const { linking } = codes({ is: 'code', code: '<script>' });
    await expect(linking.request(ADA)).rejects.toThrow();
    expect(linking.isActive).toBe(false);
  });
});
