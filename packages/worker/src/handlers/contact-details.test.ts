import { GatewayError } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { freshHandlers } from '../testing/fake-page.ts';
import { contactDetailHandlers } from './contact-details.ts';

const BEN = '12025550102@c.us';

const { context, handlers } = freshHandlers(contactDetailHandlers);

describe('many numbers', () => {
  const exist = () => handlers.numbersExist({ id: 'main', numbers: [BEN] });
  const failing = (code: 'session_not_ready' | 'client_failed' | 'outcome_unknown') => () => {
    throw new GatewayError(code, 'it fails');
  };

  it.each(['session_not_ready', 'client_failed'] as const)('can be queried again at once after %s', async (code) => {
    context.page.on('numbersExist', failing(code));
    await expect(exist()).rejects.toMatchObject({ code });
    context.page.on('numbersExist', () => ({ exist: [null] }));
    expect(await exist()).toEqual({ numbers: [{ number: '12025550102', exists: null }] });
  });

  it('cannot be queried again at once if the network may have been queried', async () => {
    context.page.on('numbersExist', failing('outcome_unknown'));
    await expect(exist()).rejects.toMatchObject({ code: 'outcome_unknown' });
    await expect(exist()).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it.each([
    ['unanswered', 'client_failed'],
    [{ refused: 429 }, 'rate_limited'],
  ] as const)('are not unregistered if the answer is %j: %s', async (answer, code) => {
    context.page.on('numbersExist', () => answer);
    await expect(exist()).rejects.toMatchObject({ code });
    await expect(exist()).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

describe('the other ids of people', () => {
  const resolve = () => handlers.resolveContacts({ id: 'main', ids: [BEN] });
  const found = [{ id: BEN, number: '12025550103', lid: null }];

  it('are as the network writes them; known ones are returned at once, but a query is not repeated', async () => {
    context.page.on('resolveContacts', () => ({ found, isQueried: false }));
    expect(await resolve()).toEqual({ contacts: found });
    await resolve();
    expect(context.page.calls.map(({ args }) => Number(args[1]) > 0)).toEqual([false, false]);
    context.page.on('resolveContacts', () => ({ found, isQueried: true }));
    await resolve();
    await resolve();
    expect(context.page.calls.map(({ args }) => Number(args[1]) > 0)).toEqual([false, false, false, true]);
  });

  it('are not queried concurrently, nor again at once after a possible query', async () => {
    context.page.on('resolveContacts', () => ({ found, isQueried: true }));
    await Promise.all([resolve(), resolve()]);
    expect(context.page.calls.map(({ args }) => Number(args[1]) > 0)).toEqual([false, true]);
  });

  it.each([
    ['outcome_unknown', true],
    ['client_failed', false],
  ] as const)('wait for the next query after %s: %s', async (code, isWaiting) => {
    context.page.on('resolveContacts', () => {
      throw new GatewayError(code, 'it fails');
    });
    for (const _ of ['once', 'twice']) await expect(resolve()).rejects.toMatchObject({ code });
    expect(context.page.calls.map(({ args }) => Number(args[1]) > 0)).toEqual([false, isWaiting]);
  });

  it.each([
    [{ waitMs: 2_500 }, { code: 'rate_limited', retryAfterSeconds: 3 }],
    [{ refused: 429 }, { code: 'rate_limited', retryAfterSeconds: 60 }],
    [{ refused: 403 }, { code: 'not_permitted' }],
  ] as const)('are an error if the answer is %j', async (answer, error) => {
    context.page.on('resolveContacts', () => answer);
    await expect(resolve()).rejects.toMatchObject(error);
  });
});

it('an about text that the network does not return is rate limited', async () => {
  const about = () => handlers.getAbout({ id: 'main', contactId: BEN });
  context.page.on('getAbout', () => 'later');
  await expect(about()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 });
  context.page.on('getAbout', () => ({ about: null }));
  expect(await about()).toEqual({ contactId: BEN, about: null });
});
