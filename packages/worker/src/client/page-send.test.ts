import { deferred } from '@chat-web/protocol';
import { takes } from '@chat-web/testing';
import { describe, expect, it } from 'vitest';
import { PageAccess, type PageSource } from './page-access.ts';
import { CallLostError } from './page-link.ts';

const BEGIN_MS = 60;
const TIMEOUT_MS = 200;
const never = new Promise<never>(() => {});

/** A page in which a test controls the send. */
function pageThat(run: (signal: (id?: string) => void) => Promise<unknown>, version: () => Promise<string>) {
  const confirmations: boolean[] = [];
  const { promise: begun, resolve: begin } = deferred();
  const watch = {
    call: '1',
    begun,
    hasBegun: false,
    isSlow: false,
    id: undefined as string | undefined,
    stop: () => {},
  };
  const signal = (id?: string) => {
    Object.assign(watch, { hasBegun: true, id, isSlow: id !== undefined });
    begin();
  };
  const link = { watchSend: () => watch, run: () => run(signal), session: { send: () => never } };
  const source = {
    isReady: true,
    page: { browser: () => ({ version }) },
    link,
    assertSupported: async () => {},
    onSent: (isConfirmed: boolean) => confirmations.push(isConfirmed),
  };
  const access = new PageAccess(source as unknown as PageSource);
  const send = () =>
    access.send(
      { beginMs: BEGIN_MS, timeoutMs: TIMEOUT_MS, ackTimeoutMs: TIMEOUT_MS },
      'sendMessage',
      true,
      '1@c.us',
      'hello',
      {},
    );
  return { send, confirmations };
}

const alive = async () => 'a browser';
const frozen = () => never;

describe('a send', () => {
  it('returns the answer of the page', async () => {
    const { send } = pageThat(async () => 'answer', alive);
    expect(await send()).toBe('answer');
  });

  it('without a signal or an answer was not sent, if the browser answers', async () => {
    const { send } = pageThat(() => never, alive);
    await expect(send()).rejects.toMatchObject({ code: 'client_failed', message: expect.stringMatching('nothing') });
  });

  it('has an unknown outcome if the browser does not answer either', async () => {
    const { send } = pageThat(() => never, frozen);
    await expect(send()).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it.each([
    ['before its time is up', 10],
    ['while the browser is queried', BEGIN_MS + 30],
  ])('that starts %s, without an answer, has an unknown outcome', async (_, afterMs) => {
    const { send } = pageThat(
      async (signal) => {
        await takes(afterMs);
        signal();
        return never;
      },
      async () => {
        await takes(60);
        return 'a browser';
      },
    );
    await expect(send()).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it('that was handed over but not confirmed fails with its id, and counts as unconfirmed', async () => {
    const { send, confirmations } = pageThat(async (signal) => {
      signal('true_1@c.us_A');
      throw new CallLostError('Promise was collected');
    }, alive);
    await expect(send()).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('true_1@c.us_A'),
    });
    expect(confirmations).toEqual([false]);
  });

  it.each([
    'Promise was collected',
    "Object couldn't be returned by value",
    'Target crashed',
    'Cannot find context with specified id',
  ])('whose call is lost (%s) has an unknown outcome', async (text) => {
    const { send } = pageThat(() => Promise.reject(new CallLostError(text)), alive);
    await expect(send()).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it('fails if its function throws', async () => {
    const { send } = pageThat(() => Promise.reject(new Error('x is undefined')), alive);
    await expect(send()).rejects.toMatchObject({ code: 'client_failed' });
  });
});
