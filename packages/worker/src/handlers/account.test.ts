import { expect, it } from 'vitest';
import { freshHandlers } from '../testing/fake-page.ts';
import { accountHandlers } from './account.ts';

const { context, handlers } = freshHandlers(accountHandlers);

it('a profile has ids without a device, and only valid texts', async () => {
  context.page.on('getProfile', () => ({ id: '12025550101:3@c.us', lid: 7, name: null, about: {}, isBusiness: 1 }));
  expect(await handlers.getProfile({ id: 'main' })).toEqual({ id: '12025550101@c.us', name: '', isBusiness: false });
  context.page.on('getProfile', () => ({ id: '' }));
  await expect(handlers.getProfile({ id: 'main' })).rejects.toMatchObject({ code: 'client_failed' });
});

it('settings with unknown values are left out', async () => {
  context.page.on('getPrivacy', () => ({
    lastSeen: 'friends',
    about: 'contact_blacklist',
    groupAdd: 'all',
    pix: 'all',
  }));
  expect(await handlers.getPrivacy({ id: 'main' })).toEqual({ about: 'contact_blacklist', groups: 'all' });
});

const change = { id: 'main', lastSeen: 'none', groups: 'contacts', calls: 'known' } as const;

it("settings are sent with the network's names, in the order of the reference", async () => {
  context.page.on('updatePrivacy', async () => {}).on('getPrivacy', () => ({ lastSeen: 'all', online: 'all' }));
  const { id: _, ...settings } = change;
  expect(await handlers.updatePrivacy(change)).toEqual({ online: 'all', ...settings });
  const [{ args } = { args: [] }] = context.page.callsOf('updatePrivacy');
  expect(args[0]).toEqual([
    { setting: 'lastSeen', name: 'last', value: 'none' },
    { setting: 'groups', name: 'groupadd', value: 'contacts' },
    { setting: 'calls', name: 'calladd', value: 'known' },
  ]);
});
