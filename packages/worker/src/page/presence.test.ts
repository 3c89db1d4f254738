import { beforeEach, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../testing/page-registry.ts';

const id = (text: string) => ({ toString: () => text });

let subscribePresence: typeof import('./chats.ts')['subscribePresence'];
let tools: typeof import('./tools/presences.ts');
freshProgram();
beforeEach(async () => {
  ({ subscribePresence } = await import('./chats.ts'));
  tools = await import('./tools/presences.ts');
});

/** A page with a chat with these ids, and these functions to subscribe. Returns its presence models. */
function page(chatId: string, accountLid: string | undefined, bridge: object) {
  const models: { id: object; hasData: boolean }[] = [];
  const gadd = (one: object) => {
    const model = models.find((each) => String(each.id) === String(one)) ?? { id: one, hasData: false };
    if (!models.includes(model)) models.push(model);
    return model;
  };
  const chat = { id: id(chatId), accountLid: accountLid && id(accountLid) };
  const modules = {
    WAWebCollections: { Chat: { get: () => chat } },
    WAWebPresenceCollection: { PresenceCollection: { gadd, getModelsArray: () => models } },
    WAWebContactPresenceBridge: bridge,
  };
  const people = [
    { number: '49@c.us', lid: '7@lid' },
    { number: '50@c.us', lid: '8@lid' },
  ];
  stubPage(modules, { people });
  return models;
}

it.each([
  ['49@c.us', '7@lid'],
  ['7@lid', undefined],
])('chat %s is subscribed by hidden id, and expected under all ids', async (chatId, lid) => {
  const subscribed = vi.fn();
  const models = page(chatId, lid, { subscribeUserPresence: subscribed });
  await subscribePresence(chatId, 10);
  expect(subscribed.mock.calls.map(String)).toEqual(['7@lid']);
  expect(models.map((model) => String(model.id)).sort()).toEqual(['49@c.us', '7@lid']);
});

it('a chat by number is subscribed by hidden id if the page knows it', async () => {
  const subscribed = vi.fn();
  page('50@c.us', undefined, { subscribeUserPresence: subscribed });
  await subscribePresence('50@c.us', 10);
  expect(subscribed.mock.calls.map(String)).toEqual(['8@lid']);
});

it('a page without a function for that kind of chat does not subscribe', async () => {
  page('1@g.us', undefined, { subscribeUserPresence: vi.fn() });
  await expect(subscribePresence('1@g.us', 10)).rejects.toMatchObject({ code: 'page_unsupported' });
});

it.each([
  ['forgotten', 1],
  ['all', 2],
] as const)(
  'a chat that is known meanwhile, after watchAgain of %s, is subscribed %i times in total',
  async (which, times) => {
    vi.useFakeTimers();
    const subscribed = vi.fn();
    const models = page('7@lid', undefined, { subscribeUserPresence: subscribed });
    const subscribing = subscribePresence('7@lid', 10);
    await vi.advanceTimersByTimeAsync(100);
    await subscribing;
    const asking = tools.watchAgain(which);
    for (const each of models) each.hasData = true;
    await vi.advanceTimersByTimeAsync(1_000); // Not all timers: a page of an earlier test may look for dialogs for ever.
    await asking;
    expect(subscribed).toHaveBeenCalledTimes(times);
  },
);

it('a chat whose first request fails is not watched; one watched before still is', async () => {
  const subscribeUserPresence = vi.fn(async () => {});
  page('49@c.us', '7@lid', { subscribeUserPresence });
  const chat = { id: id('49@c.us'), accountLid: id('7@lid') } as never;
  const fail = () => subscribeUserPresence.mockRejectedValueOnce(new Error('No LID for user'));
  fail();
  await expect(subscribePresence('49@c.us', 10)).rejects.toThrow('No LID');
  expect(tools.isWatched(chat)).toBe(false);
  await subscribePresence('49@c.us', 10);
  fail();
  await expect(subscribePresence('49@c.us', 10)).rejects.toThrow('No LID');
  expect(tools.isWatched(chat)).toBe(true);
});
