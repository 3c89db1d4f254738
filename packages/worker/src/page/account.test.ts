import { expect, it, vi } from 'vitest';
import { setPresence, setPrivacy } from './account.ts';

it.each([
  ['a page that knows its own state', true, 2],
  // It may query chats that it knows, which these tests leave out.
  ['an older one', false, 3],
])('%s subscribes again to forgotten presences when the account becomes available', (_, isKnown, times) => {
  const Stream = {
    ...(isKnown && { available: false }),
    markAvailable: () => isKnown && Object.assign(Stream, { available: true }),
    markUnavailable: () => isKnown && Object.assign(Stream, { available: false }),
  };
  const watchAgain = vi.fn();
  const actions = { sendPresenceAvailable: vi.fn(), sendPresenceUnavailable: vi.fn() };
  const modules: Record<string, unknown> = {
    WAWebConnModel: { Conn: { pushname: 'Ada' } },
    WAWebPresenceChatAction: actions,
  };
  const chatWebTools = { optional: () => ({ Stream }), watchAgain };
  vi.stubGlobal('window', { chatWebTools, chatWeb: { document: '1' }, require: (name: string) => modules[name] });
  for (const presence of ['available', 'available', 'unavailable', 'available'] as const)
    expect(setPresence(presence)).toBe(true);
  expect(watchAgain.mock.calls).toEqual(Array.from({ length: times }, () => ['forgotten']));
  expect(actions.sendPresenceAvailable).toHaveBeenCalledTimes(3);
  expect(actions.sendPresenceUnavailable).toHaveBeenCalledOnce();
});

it('the page does not change the presence once it was set, but does before', () => {
  const shown: unknown[] = [];
  const Stream = {
    markAvailable: () => shown.push('available'),
    markUnavailable: (delayMs?: number) => shown.push(delayMs ?? 'unavailable'),
  };
  const modules: Record<string, unknown> = {
    WAWebConnModel: { Conn: { pushname: 'Ada' } },
    WAWebPresenceChatAction: { sendPresenceAvailable: vi.fn(), sendPresenceUnavailable: vi.fn() },
  };
  const chatWebTools = { optional: () => ({ Stream }), watchAgain: vi.fn() };
  vi.stubGlobal('window', { chatWebTools, chatWeb: { document: '1' }, require: (name: string) => modules[name] });
  const ofThePage = () => {
    Stream.markUnavailable(30_000);
    Stream.markAvailable();
  };
  ofThePage();
  for (const presence of ['available', 'unavailable'] as const) {
    setPresence(presence);
    ofThePage();
  }
  expect(shown).toEqual([30_000, 'available', 'available', 'available', 'unavailable', 30_000]);
});

it.each([
  ['a refusal', { status: 403 }, { refused: 403 }],
  ['an error of the page, which may come after the change', new Error('no storage'), 'unknown'],
])('a privacy setting that ends with %s', async (_, error, no) => {
  const setPrivacyForOneCategory = () => Promise.reject(error);
  const chatWebTools = { refusal: (thrown: unknown) => (thrown as { status?: number }).status };
  vi.stubGlobal('window', { chatWebTools, require: () => ({ setPrivacyForOneCategory }) });
  expect(await setPrivacy([{ name: 'last', value: 'all' }], 1_000)).toEqual({ changed: [], no });
});

it('a privacy setting that the page cannot even request is unchanged for certain', async () => {
  const setPrivacyForOneCategory = () => {
    throw new TypeError('broken');
  };
  const chatWebTools = { refusal: () => undefined };
  vi.stubGlobal('window', { chatWebTools, require: () => ({ setPrivacyForOneCategory }) });
  await expect(setPrivacy([{ name: 'last', value: 'all' }], 1_000)).rejects.toThrow('broken');
});
