import { expect, it } from 'vitest';
import { defaultSettings } from '../settings.ts';
import { bootstrapData } from './bootstrap.ts';
import { seededAccounts } from './directory.ts';
import { Network } from './network.ts';
import { changeContacts, changeProfile } from './people.ts';
import { populate } from './populate.ts';

const device = {
  id: 'd',
  secret: 's',
  name: 'A device',
  linkedAt: new Date(),
  keys: 0,
  connection: undefined,
  onboarded: true,
  presence: 'unavailable' as const,
  synced: true,
  waiting: new Set<never>(),
};
const createNetwork = () => new Network({ ...defaultSettings }, seededAccounts);

it('hides the number of a person from a shared group, until it is known otherwise', () => {
  const { directory } = createNetwork();
  const ada = directory.get('12025550101');
  const stranger = directory.add({ number: '12025550190', name: 'Nora Quist', addressing: 'lid' });
  expect(directory.describeMember(stranger, ada).pn).toBeUndefined();
  expect(directory.describe(stranger, ada)).toMatchObject({ pn: '12025550190@c.us', chat: stranger.lid });
  expect(directory.describeMember(stranger, ada)).toMatchObject({ pn: '12025550190@c.us' });
});

it('changes the given fields and nothing else', () => {
  const network = createNetwork();
  const ben = network.directory.get('12025550102');
  expect(changeProfile(network, ben, { business: true, picture: undefined })).toMatchObject({
    business: true,
    picture: 'none',
    name: 'Ben Okafor',
  });
  const ada = network.directory.get('12025550101');
  changeContacts(network, ada, { save: [{ number: ben.number, name: 'Benny' }], block: [ben.number] });
  expect(network.directory.describe(ben, ada)).toMatchObject({ name: 'Benny', isBlocked: true, isBusiness: true });
  changeContacts(network, ada, { forget: [ben.number], unblock: [ben.number] });
  expect(network.directory.describe(ben, ada).name).toBeUndefined();
});

it('shows a status only to people where both have each other as contacts', () => {
  const { directory } = createNetwork();
  const [ada, ben] = [directory.get('12025550101'), directory.get('12025550102')];
  ada.book.delete(ben);
  const audience = directory.statusAudienceOf(ada);
  expect([audience.includes(ben), audience.length]).toEqual([false, seededAccounts.length - 2]);
});

it('fills an account with the requested amounts', () => {
  const network = createNetwork();
  const ada = network.directory.get('12025550101');
  const known = ada.book.size;
  populate(network, ada, { chats: 30, contacts: 20, groups: 10 });
  const { chats, users } = bootstrapData(ada, device, network);
  expect([chats.length, chats.filter(({ group }) => group).length, ada.book.size - known]).toEqual([40, 10, 20]);
  expect(chats.every(({ messages, unreadCount }) => messages.length === 1 && unreadCount === 0)).toBe(true);
  expect(new Set(users.map(({ lid }) => lid)).size).toBe(users.length);
});
