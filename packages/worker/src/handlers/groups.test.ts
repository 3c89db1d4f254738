import { describe, expect, it } from 'vitest';
import { freshHandlers } from '../testing/fake-page.ts';
import { groupHandlers } from './groups.ts';

const groupId = '120363000000000000@g.us';
const [BEN, CARA, DAN] = ['12025550102@c.us', '12025550103@c.us', '12025550104@c.us'] as const;
const ofGroup = { id: 'main', groupId };
const ofMembers = { ...ofGroup, participants: [BEN, CARA, DAN] };

const { context, handlers } = freshHandlers(groupHandlers);

describe('a group', () => {
  it('is listed while the account is in it', async () => {
    const group = { subject: 'Friends', participantCount: 2, isAdmin: undefined, community: undefined };
    context.page.on('listGroups', () => [
      { ...group, id: groupId, isMember: true },
      { ...group, id: '120363000000000001@g.us', isMember: false },
    ]);
    expect(await handlers.listGroups({ id: 'main' })).toEqual([
      { id: groupId, subject: 'Friends', participantCount: 2 },
    ]);
  });

  it('can be left and renamed', async () => {
    context.page.on('leaveGroup', async () => {}).on('renameGroup', async () => {});
    expect(await handlers.leaveGroup(ofGroup)).toEqual({ groupId, left: true });
    expect(await handlers.renameGroup({ ...ofGroup, subject: 'Friends' })).toEqual({ groupId, subject: 'Friends' });
  });

  it('is created, and answered with its id', async () => {
    const inviteCodes = [undefined, 'A1b2', '<script>'];
    context.page.on('createGroup', () => ({ id: groupId, codes: [200, 403, 403], inviteCodes }));
    const people = { id: 'main', subject: 'Friends', participants: [BEN, CARA, DAN] };
    expect(await handlers.createGroup(people)).toBe(groupId);
    const refused = { ok: false, code: 403, message: expect.stringContaining('by invitation') };
    expect(await handlers.createGroup({ ...people, results: true })).toEqual({
      id: groupId,
      participants: [
        { id: BEN, ok: true, code: 200 },
        { id: CARA, ...refused, inviteCode: 'A1b2' },
        { id: DAN, ...refused },
      ],
    });
  });
});

describe('members', () => {
  it('that are added have one code each, in the order of the request; a missing code is not a success', async () => {
    context.page.on('addParticipants', () => ({ codes: [200, 409], inviteCodes: [] }));
    expect((await handlers.addParticipants(ofMembers)).participants).toEqual([
      { id: BEN, ok: true, code: 200 },
      { id: CARA, ok: false, code: 409, message: expect.stringContaining('already') },
      { id: DAN, ok: false, code: 504, message: expect.stringContaining('look at the group') },
    ]);
  });

  it('that are removed have one code each', async () => {
    context.page.on('removeParticipants', () => [200, 404]);
    expect((await handlers.removeParticipants(ofMembers)).participants).toEqual([
      { id: BEN, ok: true, code: 200 },
      { id: CARA, ok: false, code: 404, message: expect.stringContaining('not in the group') },
      { id: DAN, ok: false, code: 504, message: expect.stringContaining('look at the group') },
    ]);
  });

  it('that were refused with an unknown code have a message', async () => {
    context.page.on('addParticipants', () => ({ codes: [403, 408, 999], inviteCodes: [] }));
    const { participants } = await handlers.addParticipants(ofMembers);
    expect(participants.map(({ message }) => typeof message)).toEqual(['string', 'string', 'string']);
    expect(new Set(participants.map(({ message }) => message)).size).toBe(3);
  });
});
