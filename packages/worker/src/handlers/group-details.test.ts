import { describe, expect, it } from 'vitest';
import { freshHandlers } from '../testing/fake-page.ts';
import { groupDetailsHandlers } from './group-details.ts';
import { groupInviteHandlers } from './group-invites.ts';

const groupId = '120363000000000000@g.us';
const [BEN, CARA] = ['12025550102@c.us', '12025550103@c.us'] as const;
const ofGroup = { id: 'main', groupId };
const ofMembers = { ...ofGroup, participants: [BEN, CARA] };
const ofInvite = { id: 'main', code: 'Invite0000000000000001' };

const { context, handlers } = freshHandlers((context) => ({
  ...groupDetailsHandlers(context),
  ...groupInviteHandlers(context),
}));

describe('a group', () => {
  it('is read without unknown and invalid parts', async () => {
    const model = { id: groupId, subject: undefined, createdAt: 'x', owner: null, settings: {} };
    context.page.on('getGroup', () => ({ ...model, participants: [{ id: BEN, lid: null, role: 'member' }] }));
    const group = await handlers.getGroup(ofGroup);
    expect(group).toEqual({ id: groupId, subject: '', settings: {}, participants: [{ id: BEN, role: 'member' }] });
  });

  it('without a valid id is an error', async () => {
    context.page.on('getGroup', () => ({ id: '\n' }));
    await expect(handlers.getGroup(ofGroup)).rejects.toMatchObject({ code: 'client_failed' });
  });

  it('has no result for a member whose code is missing', async () => {
    context.page.on('changeRoles', () => [200]);
    expect((await handlers.demoteParticipants(ofMembers)).participants.map(({ code }) => code)).toEqual([200, 504]);
  });
});

describe('an invite', () => {
  it('that is invalid is an error', async () => {
    context.page.on('getGroupInvite', () => ({ code: '<b>' })).on('getInvite', () => ({ groupId: '' }));
    await expect(handlers.getGroupInvite(ofGroup)).rejects.toMatchObject({ code: 'client_failed' });
    await expect(handlers.getInvite(ofInvite)).rejects.toMatchObject({ code: 'client_failed' });
  });
});

describe('requests to join', () => {
  it('are listed if they are valid', async () => {
    context.page.on('listJoinRequests', () => [
      { id: BEN, requestedAt: 1_700_000_000, by: 'NonAdminAdd' },
      { id: undefined, by: 'InviteLink' },
      { id: CARA, by: 'ByOtherMeans' },
    ]);
    expect(await handlers.listJoinRequests(ofGroup)).toEqual([
      { id: BEN, requestedAt: '2023-11-14T22:13:20.000Z', by: 'member' },
      { id: CARA },
    ]);
  });

  it('get one answer each', async () => {
    context.page.on('answerJoinRequests', () => [200, 404]);
    expect((await handlers.approveJoinRequests(ofMembers)).participants).toEqual([
      { id: BEN, ok: true, code: 200 },
      { id: CARA, ok: false, code: 404, message: 'has no request to join the group' },
    ]);
  });
});
