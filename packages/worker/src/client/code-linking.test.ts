import { deferred } from '@chat-web/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CodeAnswer } from '../page/linking.ts';
import { CodeLinking } from './code-linking.ts';

const ADA = '12025550101';
const BEN = '12025550102';
const SECOND = 1_000;
const CODE_MS = 180 * SECOND;

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-01T12:00:00Z') }));

/** Code linking on a page with this answer; by default, a new code each time. */
function codes(...answers: (CodeAnswer | Promise<CodeAnswer>)[]) {
  const events: string[] = [];
  let given = 0;
  const ask = vi.fn(async (_number: string, _notifiesPhone: boolean) => {
    given += 1;
    return answers.shift() ?? ({ is: 'code', code: `CODE000${given}` } as const);
  });
  const returnToQr = vi.fn(async () => {});
  const log = vi.fn();
  const linking = new CodeLinking({
    ask,
    returnToQr,
    log,
    dispatch: (event) => events.push(event.name === 'code' ? `${event.number} ${event.code.code}` : event.name),
  });
  return { linking, events, ask, returnToQr, log };
}

describe('a code', () => {
  it('is renewed twice when it expires, without a notice on the phone; then the QR returns', async () => {
    const { linking, events, ask, returnToQr } = codes();
    expect(await linking.request(ADA)).toEqual({ code: 'CODE0001', expiresAt: '2026-11-01T12:03:00.000Z' });
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
    expect(events).toEqual([
      'code_requested',
      `${ADA} CODE0001`,
      `${ADA} CODE0002`,
      `${ADA} CODE0003`,
      'code_ended',
      'back_to_qr',
    ]);
    expect(returnToQr).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10 * CODE_MS);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it('is the same for the same number while it is valid, and another for another number', async () => {
    const { linking, ask } = codes();
    const [first, again] = await Promise.all([linking.request(ADA), linking.request(ADA)]);
    expect(again).toEqual(first);
    expect((await linking.request(BEN)).code).toBe('CODE0002');
    await vi.advanceTimersByTimeAsync(CODE_MS - 10 * SECOND);
    expect((await linking.request(BEN)).code).toBe('CODE0003');
    await vi.advanceTimersByTimeAsync(CODE_MS - SECOND);
    expect(ask.mock.calls.map(([number]) => number)).toEqual([ADA, BEN, BEN]); // The earlier timers are cleared.
  });

  it('is requested at most six times in ten minutes, for any number', async () => {
    const { linking, ask } = codes();
    for (const number of [ADA, BEN, ADA, BEN, ADA, BEN]) {
      await linking.request(number);
      await vi.advanceTimersByTimeAsync(SECOND);
    }
    await expect(linking.request(ADA)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 594 });
    expect((await linking.request(BEN)).code).toBe('CODE0006'); // The current one.
    expect(ask).toHaveBeenCalledTimes(6);
    linking.forget();
    await vi.advanceTimersByTimeAsync(594 * SECOND);
    expect((await linking.request(ADA)).code).toBe('CODE0007');
  });

  it('is renewed when the network requests it, but not while linking with a typed code', async () => {
    const { linking, events, ask } = codes({ is: 'code', code: 'CODE0001' }, { is: 'typed' });
    await linking.request(ADA);
    linking.renew();
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(events).toEqual(['code_requested', `${ADA} CODE0001`]);
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(events.at(-1)).toBe(`${ADA} CODE0003`);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it('that cannot be renewed is replaced by the QR', async () => {
    const refused: CodeAnswer = { is: 'refused', name: 'IQErrorRateOverlimit', code: 429 };
    const { linking, events, log } = codes({ is: 'code', code: 'CODE0001' }, refused);
    await linking.request(ADA);
    await vi.advanceTimersByTimeAsync(CODE_MS);
    expect(events.slice(-2)).toEqual(['code_ended', 'back_to_qr']);
    expect(log).toHaveBeenCalledWith('warn', 'pairing code not renewed', {
      error: expect.stringContaining('too many'),
    });
  });

  it('is forgotten without a call to the page once that is linked: a renewal would break the link', async () => {
    const { linking, events, ask, returnToQr } = codes();
    await linking.request(ADA);
    linking.forget();
    linking.renew();
    linking.cancel();
    await vi.advanceTimersByTimeAsync(2 * CODE_MS);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(returnToQr).not.toHaveBeenCalled();
    expect(events).toEqual(['code_requested', `${ADA} CODE0001`]);
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
  ] as const)('with the answer %o fails, and the QR returns', async (answer, error) => {
    const { linking, events } = codes(answer);
    await expect(linking.request(ADA)).rejects.toMatchObject(error);
    expect(events).toEqual(['code_requested', 'code_ended', 'back_to_qr']);
    expect((await linking.request(ADA)).code).toBe('CODE0002');
  });

  it('ends even if the page hangs, and so does the next one', async () => {
    const { linking, events } = codes(new Promise(() => {}));
    const first = expect(linking.request(ADA)).rejects.toMatchObject({ code: 'outcome_unknown' });
    const second = linking.request(BEN);
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    await first;
    expect((await second).code).toBe('CODE0002');
    expect(events).toEqual(['code_requested', 'code_ended', 'back_to_qr', 'code_requested', `${BEN} CODE0002`]);
  });

  it('fails if the page is linked meanwhile, and its code is not shown', async () => {
    const { promise, resolve: answer } = deferred<CodeAnswer>();
    const { linking, events, returnToQr } = codes(promise);
    const request = expect(linking.request(ADA)).rejects.toMatchObject({ code: 'qr_not_available' });
    await vi.advanceTimersByTimeAsync(0);
    linking.forget();
    answer({ is: 'code', code: 'CODE0001' });
    await request;
    expect(events).toEqual(['code_requested']);
    expect(returnToQr).not.toHaveBeenCalled();
  });

  it('that returns an invalid code fails', async () => {
    const { linking } = codes({ is: 'code', code: '<script>' });
    await expect(linking.request(ADA)).rejects.toThrow();
  });
});
