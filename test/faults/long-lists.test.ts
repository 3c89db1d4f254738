import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { ADA, Stack } from '../helpers/stack.ts';

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
