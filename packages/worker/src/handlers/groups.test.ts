import { describe, expect, it } from 'vitest';
import type { GroupRefusal } from '../page/models.ts';
import { freshHandlers } from '../testing/fake-page.ts';
import { groupHandlers } from './groups.ts';

const groupId = '120363000000000000@g.us';
const [BEN, CARA, DAN] = ['12025550102@c.us', '12025550103@c.us', '12025550104@c.us'] as const;
const ofGroup = { id: 'main', groupId };
const ofMembers = { ...ofGroup, participants: [BEN, CARA, DAN] };

const { context, handlers } = freshHandlers(groupHandlers);

const REFUSALS: readonly [GroupRefusal, string][] = [
  ['no_group', 'chat_not_found'],
  ['not_admin', 'not_permitted'],
  [{ refused: 401 }, 'not_permitted'],
  [{ refused: 403 }, 'not_permitted'],
  [{ refused: 429 }, 'rate_limited'],
  [{ refused: 409 }, 'client_failed'],
  [{ refused: 500 }, 'outcome_unknown'],
];

describe.each([
  [
    'adding',
    (no: GroupRefusal) => context.page.on('addParticipants', () => no),
    () => handlers.addParticipants(ofMembers),
  ],
  [
    'removing',
    (no: GroupRefusal) => context.page.on('removeParticipants', () => no),
    () => handlers.removeParticipants(ofMembers),
  ],
  ['leaving', (no: GroupRefusal) => context.page.on('leaveGroup', () => no), () => handlers.leaveGroup(ofGroup)],
  [
    'renaming',
    (no: GroupRefusal) => context.page.on('renameGroup', () => no),
    () => handlers.renameGroup({ ...ofGroup, subject: 'Friends' }),
  ],
] as const)('%s', (_, refuseWith, ask) => {
  it.each(REFUSALS)('that ends with %j: %s', async (refusal, code) => {
    refuseWith(refusal);
    await expect(Promise.resolve(ask())).rejects.toMatchObject({
      code,
      ...(code === 'rate_limited' ? { retryAfterSeconds: 60 } : {}),
    });
    expect(context.page.calls.map(({ kind }) => kind)).toEqual(['change']);
  });
});

describe('a group', () => {
  it('is listed while the account is in it', async () => {
    const group = { subject: 'Friends', participantCount: 2, isAdmin: undefined };
    context.page.on('listGroups', () => [
      { ...group, id: groupId, isMember: true },
      { ...group, id: '120363000000000001@g.us', isMember: false },
    ]);
    expect(await handlers.listGroups({ id: 'main' })).toEqual([
      { id: groupId, subject: 'Friends', participantCount: 2 },
    ]);
  });

  it('can be left and renamed', async () => {
    context.page.on('leaveGroup', () => 'ok').on('renameGroup', () => 'ok');
    expect(await handlers.leaveGroup(ofGroup)).toEqual({ groupId, left: true });
    expect(await handlers.renameGroup({ ...ofGroup, subject: 'Friends' })).toEqual({ groupId, subject: 'Friends' });
  });

  it('that may have been left has an unknown outcome', async () => {
    context.page.on('leaveGroup', () => 'unknown');
    await expect(handlers.leaveGroup(ofGroup)).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it.each([
    ['none_registered', 'recipient_not_found'],
    [{ refused: 429 }, 'rate_limited'],
    [{ refused: 409 }, 'client_failed'],
    [{ refused: 500 }, 'outcome_unknown'],
  ] as const)('whose creation ends with %j: %s', async (outcome, code) => {
    context.page.on('createGroup', () => outcome);
    const created = handlers.createGroup({ id: 'main', subject: 'Friends', participants: [BEN] });
    await expect(created).rejects.toMatchObject({
      code,
      ...(code === 'rate_limited' ? { retryAfterSeconds: 60 } : {}),
    });
  });

  it('is created, and answered with its id', async () => {
    context.page.on('createGroup', () => ({ id: groupId }));
    expect(await handlers.createGroup({ id: 'main', subject: 'Friends', participants: [BEN] })).toBe(groupId);
    expect(context.page.calls).toMatchObject([{ kind: 'change', args: ['Friends', [BEN]] }]);
  });
});

describe('members', () => {
  it('that are added have one code each, in the order of the request; a missing code is not a success', async () => {
    context.page.on('addParticipants', () => [200, 409]);
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
    context.page.on('addParticipants', () => [403, 408, 999]);
    const { participants } = await handlers.addParticipants(ofMembers);
    expect(participants.map(({ message }) => typeof message)).toEqual(['string', 'string', 'string']);
    expect(new Set(participants.map(({ message }) => message)).size).toBe(3);
  });
});
