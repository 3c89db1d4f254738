import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { ADA, BEN, Stack } from '../helpers/stack.ts';

it('lists of hundreds come in one piece', async () => {
  await using stack = await Stack.start();
  await stack.phones.fill(ADA, { chats: 300, contacts: 1_000, groups: 100 });
  await stack.link('main', ADA);
  await eventually(async () => {
    expect((await stack.client.listChats({ id: 'main' })).length).toBeGreaterThanOrEqual(300);
    expect((await stack.client.listContacts({ id: 'main' })).length).toBeGreaterThanOrEqual(1_000);
    expect((await stack.client.listGroups({ id: 'main' })).length).toBeGreaterThanOrEqual(100);
  });
});

it('groups are listed with their members from what the page has stored, or by one request for all', async () => {
  await using stack = await Stack.start();
  const { phones, client } = stack;
  await phones.fill(ADA, { chats: 0, contacts: 0, groups: 30 });
  const { id: leftId } = await phones.createGroup(BEN, { subject: 'Left', participants: [ADA] });
  await phones.updateGroup(ADA, leftId, { leave: true });
  await stack.link('main', ADA);
  const list = async () => {
    const groups = await client.listGroups({ id: 'main' });
    expect(groups.map(({ id }) => id)).not.toContain(leftId);
    expect(groups).toHaveLength(30);
    return groups.filter(({ participantCount }) => participantCount !== undefined).length;
  };
  await phones.refuseRequests(ADA, { requests: ['group'], code: 429 });
  expect(await list()).toBe(30);
  await phones.configure({ groupsStored: false });
  await client.restartSession({ id: 'main' });
  expect(await list()).toBe(30);
  // Not asked again for the sake of the group that was left.
  await phones.refuseRequests(ADA, { requests: ['group', 'groups'], code: 429 });
  expect(await list()).toBe(30);
});
