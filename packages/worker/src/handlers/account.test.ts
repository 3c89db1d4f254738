import { expect, it } from 'vitest';
import { freshHandlers } from '../testing/fake-page.ts';
import { accountHandlers } from './account.ts';

const { context, handlers } = freshHandlers(accountHandlers);

it('a profile has ids without a device, and only valid texts', async () => {
  context.page.on('readProfile', () => ({ id: '12025550101:3@c.us', lid: 7, name: null, about: {}, isBusiness: 1 }));
  expect(await handlers.getProfile({ id: 'main' })).toEqual({ id: '12025550101@c.us', name: '', isBusiness: false });
  context.page.on('readProfile', () => ({ id: '' }));
  await expect(handlers.getProfile({ id: 'main' })).rejects.toMatchObject({ code: 'client_failed' });
});

it('settings with unknown values are left out', async () => {
  context.page.on('readPrivacy', () => ({
    lastSeen: 'friends',
    about: 'contact_blacklist',
    groupAdd: 'all',
    pix: 'all',
  }));
  expect(await handlers.getPrivacy({ id: 'main' })).toEqual({ about: 'contact_blacklist', groups: 'all' });
});

const change = { id: 'main', lastSeen: 'none', groups: 'contacts', calls: 'known' } as const;

it("settings are sent with the network's names, in the order of the reference", async () => {
  context.page.on('setPrivacy', (changes) => ({ changed: changes.map(({ name }) => name) }));
  context.page.on('readPrivacy', () => ({ lastSeen: 'all', online: 'all' }));
  const { id: _, ...settings } = change;
  expect(await handlers.updatePrivacy(change)).toEqual({ online: 'all', ...settings });
  const [{ args } = { args: [] }] = context.page.callsOf('setPrivacy');
  expect(args[0]).toEqual([
    { name: 'last', value: 'none' },
    { name: 'groupadd', value: 'contacts' },
    { name: 'calladd', value: 'known' },
  ]);
});

it.each([
  [[], { refused: 400 }, 'client_failed', 'nothing was changed'],
  [[], { refused: 500 }, 'outcome_unknown', 'the network failed'],
  [['last'], { refused: 400 }, 'outcome_unknown', 'before that, lastSeen was changed'],
  [['last', 'groupadd'], { refused: 429 }, 'rate_limited', 'before that, lastSeen, groups were changed'],
  [['last'], 'late', 'outcome_unknown', 'the time limit was reached'],
] as const)('the error after changing %j and then %j says so', async (changed, no, code, text) => {
  context.page.on('setPrivacy', () => ({ changed: [...changed], no }));
  const refused = handlers.updatePrivacy(change);
  await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
});
