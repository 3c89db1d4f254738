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

  it('can be queried again at once if the session was not ready', async () => {
    context.page.on('numbersExist', failing('session_not_ready'));
    await expect(exist()).rejects.toMatchObject({ code: 'session_not_ready' });
    const numbers = [{ number: '12025550102', exists: null }];
    context.page.on('numbersExist', () => ({ exist: numbers }));
    expect(await exist()).toEqual({ numbers });
  });

  it.each(['outcome_unknown', 'client_failed'] as const)('cannot be queried again at once after %s', async (code) => {
    context.page.on('numbersExist', failing(code));
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
    ['client_failed', true],
    ['session_not_ready', false],
  ] as const)('wait for the next query after %s: %s', async (code, isWaiting) => {
    context.page.on('resolveContacts', () => {
      throw new GatewayError(code, 'it fails');
    });
    for (const _ of ['once', 'twice']) await expect(resolve()).rejects.toMatchObject({ code });
    expect(context.page.calls.map(({ args }) => Number(args[1]) > 0)).toEqual([false, isWaiting]);
  });

  it('are not queried before the time that the page names', async () => {
    context.page.on('resolveContacts', () => ({ waitMs: 2_500 }));
    await expect(resolve()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3 });
  });
});

it.each([
  ['81604523377181@lid', { username: 'nora_n', id: '81604523377181@lid' }],
  [undefined, { username: 'nora_n', needsPin: true }],
  ['<script>', 'client_failed'],
])('a user name with the id %j: %j', async (id, outcome) => {
  context.page.on('findUsername', () => ({ id }));
  const found = handlers.findUsername({ id: 'main', name: 'nora_n' });
  if (typeof outcome === 'object') expect(await found).toEqual(outcome);
  else await expect(found).rejects.toMatchObject({ code: outcome });
});

it('an about text may be hidden', async () => {
  context.page.on('getAbout', () => ({ about: null }));
  expect(await handlers.getAbout({ id: 'main', contactId: BEN })).toEqual({ contactId: BEN, about: null });
});
