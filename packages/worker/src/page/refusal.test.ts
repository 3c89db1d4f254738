import { describe, expect, it } from 'vitest';
import { afterChanges, answerTo, networkCode, Refusal, refusedByNetwork } from './refusal.ts';

describe('the answer to a call', () => {
  it('is its result', async () => {
    expect(await answerTo(() => 7)).toEqual({ ok: 7 });
    expect(await answerTo(async () => undefined)).toEqual({ ok: undefined });
  });

  it('is why it has none: a refusal of the program or of the network', async () => {
    const refuse = (error: unknown) => () => Promise.reject(error);
    const refusal = new Refusal('chat_not_found', 'the account has no such chat');
    expect(await answerTo(refuse(refusal))).toMatchObject({ refused: 'chat_not_found', why: refusal.message });
    const limited = { refused: 'rate_limited', retryAfterSeconds: 60 };
    expect(await answerTo(refuse({ status: 429 }))).toMatchObject(limited);
  });

  it('is none after an error of the page', async () => {
    const call = () => {
      throw new TypeError('it has another form');
    };
    await expect(answerTo(call)).rejects.toThrow('another form');
  });
});

it.each([
  [{ status: 404 }, 404],
  [{ statusCode: '429' }, 429],
  [{ name: 'ServerStatusCodeError' }, 400],
  [{ name: 'ServerStatusCodeError', status: 500 }, 500],
  [new Error('of the page'), undefined],
  [{ name: 'HttpStatusCodeError', status: 500 }, undefined],
  [{ status: 0 }, undefined],
  [undefined, undefined],
])('the code of the network in %j is %s', (error, code) => {
  expect(networkCode(error)).toBe(code);
});

it.each([
  [401, 'not_permitted', undefined],
  [403, 'not_permitted', undefined],
  [409, 'client_failed', undefined],
  [429, 'rate_limited', 60],
  [463, 'rate_limited', 86_400],
  [475, 'rate_limited', 86_400],
  [500, 'outcome_unknown', undefined],
  [503, 'outcome_unknown', undefined],
])('a refusal of the network with %i is %s', (code, error, retryAfterSeconds) => {
  expect(refusedByNetwork(code)).toMatchObject({ code: error, retryAfterSeconds });
});

it('a refusal after other changes names them, and does not say that nothing was changed', () => {
  const refusal = refusedByNetwork(409);
  expect(afterChanges([], refusal)).toMatchObject({ code: 'client_failed', message: refusal.message });
  expect(afterChanges(['a', 'b'], refusal)).toMatchObject({
    code: 'outcome_unknown',
    message: 'the network refused the request (code 409); changed before it: a, b',
  });
  expect(afterChanges(['a'], refusedByNetwork(429))).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 });
});
