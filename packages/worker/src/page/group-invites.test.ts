import { expect, it } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { getInvite, joinGroup } from './group-invites.ts';

it.each([
  [404, 'chat_not_found'],
  [406, 'chat_not_found'],
  [410, 'chat_not_found'],
  [419, 'not_permitted'],
])('an invite that the network refuses with %i: %s', async (status, code) => {
  stubPage({ WAWebGroupQueryJob: { queryGroupInvite: () => Promise.reject({ status }) } });
  await expect(getInvite('Invite')).rejects.toMatchObject({ code });
  await expect(joinGroup('Invite', 0)).rejects.toMatchObject({ code });
});

it('another refusal of an invite keeps its code', async () => {
  stubPage({ WAWebGroupQueryJob: { queryGroupInvite: () => Promise.reject({ status: 429 }) } });
  await expect(getInvite('Invite')).rejects.toMatchObject({ status: 429 });
  await expect(joinGroup('Invite', 0)).rejects.toMatchObject({ status: 429 });
});
