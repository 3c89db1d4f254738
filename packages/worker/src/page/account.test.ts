import { beforeEach, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../testing/page-registry.ts';

let account: typeof import('./account.ts');
freshProgram();
beforeEach(async () => {
  account = await import('./account.ts');
});

it.each([
  ['a page that knows its own state', true, 2],
  // It may query chats that it knows, which these tests leave out.
  ['an older one', false, 3],
])('%s subscribes again to forgotten presences when the account becomes available', async (_, isKnown, times) => {
  vi.useFakeTimers();
  const Stream = {
    ...(isKnown && { available: false }),
    markAvailable: () => isKnown && Object.assign(Stream, { available: true }),
    markUnavailable: () => isKnown && Object.assign(Stream, { available: false }),
  };
  const subscribeUserPresence = vi.fn();
  const actions = { sendPresenceAvailable: vi.fn(), sendPresenceUnavailable: vi.fn() };
  const modules = {
    WAWebConnModel: { Conn: { pushname: 'Ada' } },
    WAWebPresenceChatAction: actions,
    // The page still knows the presence of the second person.
    WAWebPresenceCollection: { PresenceCollection: { gadd: (id: object) => ({ hasData: String(id) === '3@c.us' }) } },
    WAWebContactPresenceBridge: { subscribeUserPresence },
    WAWebStreamModel: { Stream },
  };
  stubPage(modules);
  const { watchPresence } = await import('./tools/presences.ts');
  for (const id of ['2@c.us', '3@c.us']) watchPresence({ id } as never);
  for (const presence of ['available', 'available', 'unavailable', 'available'] as const) {
    expect(account.setPresence(presence)).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(subscribeUserPresence.mock.calls).toEqual(Array.from({ length: times }, () => ['2@c.us']));
  expect(actions.sendPresenceAvailable).toHaveBeenCalledTimes(3);
  expect(actions.sendPresenceUnavailable).toHaveBeenCalledOnce();
});

it('the page does not change the presence once it was set, but does before', () => {
  const shown: unknown[] = [];
  const Stream = {
    markAvailable: () => shown.push('available'),
    markUnavailable: (delayMs?: number) => shown.push(delayMs ?? 'unavailable'),
  };
  const modules = {
    WAWebConnModel: { Conn: { pushname: 'Ada' } },
    WAWebPresenceChatAction: { sendPresenceAvailable: vi.fn(), sendPresenceUnavailable: vi.fn() },
    WAWebStreamModel: { Stream },
  };
  stubPage(modules);
  const ofThePage = () => {
    Stream.markUnavailable(30_000);
    Stream.markAvailable();
  };
  ofThePage();
  for (const presence of ['available', 'unavailable'] as const) {
    account.setPresence(presence);
    ofThePage();
  }
  expect(shown).toEqual([30_000, 'available', 'available', 'available', 'unavailable', 30_000]);
});

it.each([
  ['a refusal', { status: 403 }, { refused: 403 }],
  ['an error of the page, which may come after the change', new Error('no storage'), 'unknown'],
])('a privacy setting that ends with %s', async (_, error, no) => {
  const setPrivacyForOneCategory = () => Promise.reject(error);
  stubPage({ WAWebSetPrivacyForOneCategoryAction: { setPrivacyForOneCategory } });
  expect(await account.setPrivacy([{ name: 'last', value: 'all' }], 1_000)).toEqual({ changed: [], no });
});

it('a privacy setting that the page cannot even request is unchanged for certain', async () => {
  const setPrivacyForOneCategory = () => {
    throw new TypeError('broken');
  };
  stubPage({ WAWebSetPrivacyForOneCategoryAction: { setPrivacyForOneCategory } });
  await expect(account.setPrivacy([{ name: 'last', value: 'all' }], 1_000)).rejects.toThrow('broken');
});
