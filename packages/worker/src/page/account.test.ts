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
    account.setPresence(presence);
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

const SETTINGS = [
  { setting: 'lastSeen', name: 'last', value: 'none' },
  { setting: 'groups', name: 'groupadd', value: 'contacts' },
  { setting: 'calls', name: 'calladd', value: 'known' },
];

it.each([
  [0, { status: 400 }, 'client_failed', 'nothing was changed'],
  [0, { status: 403 }, 'not_permitted', 'does not permit'],
  [0, { status: 500 }, 'outcome_unknown', 'the network failed'],
  // An error of the page may come after the change.
  [0, new Error('no storage'), 'outcome_unknown', 'may have changed the next setting'],
  [1, { status: 400 }, 'outcome_unknown', '(code 400); changed before it: lastSeen'],
  [2, { status: 429 }, 'rate_limited', 'changed before it: lastSeen, groups'],
])('the refusal after %i changed settings and then %j says so', async (count, error, code, text) => {
  const asked = vi.fn(async () => (asked.mock.calls.length > count ? Promise.reject(error) : undefined));
  stubPage({ WAWebSetPrivacyForOneCategoryAction: { setPrivacyForOneCategory: asked } });
  const message = expect.stringContaining(text);
  await expect(account.updatePrivacy(SETTINGS, 1_000)).rejects.toMatchObject({ code, message });
  expect(asked).toHaveBeenCalledTimes(count + 1);
});

it('settings that are not reached in time are named by what was changed before them', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const setPrivacyForOneCategory = async () => void vi.setSystemTime(Date.now() + 2_000);
  stubPage({ WAWebSetPrivacyForOneCategoryAction: { setPrivacyForOneCategory } });
  const message = 'the time limit was reached; changed before it: lastSeen';
  await expect(account.updatePrivacy(SETTINGS, 1_000)).rejects.toMatchObject({ code: 'outcome_unknown', message });
});

it('a privacy setting that the page cannot even request is unchanged for certain', async () => {
  const setPrivacyForOneCategory = () => {
    throw new TypeError('broken');
  };
  stubPage({ WAWebSetPrivacyForOneCategoryAction: { setPrivacyForOneCategory } });
  await expect(account.updatePrivacy(SETTINGS, 1_000)).rejects.toThrow('broken');
});
