import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './helpers/eventually.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const CARLA = '12025550103';
const DEV = '12025550104';
const NOBODY = '12025559999';
const UNKNOWN_GROUP = '120363999999999999@g.us';
const idOf = (number: string) => `${number}@c.us`;

describe('a group', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start();
    await stack.link('main', ADA);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  /** A group that the session knows. */
  const make = async (
    number: string,
    draft: { subject: string; participants: string[]; ignoresSettings?: boolean },
  ) => {
    const { id } = await stack.phones.createGroup(number, draft);
    await eventually(async () => {
      expect((await stack.client.listGroups({ id: 'main' })).map((group) => group.id)).toContain(id);
    });
    return id;
  };
  const own = (...participants: string[]) => make(ADA, { subject: 'Trip', participants });
  /** A group of Ben's, in which the account is a plain member. */
  const foreign = () => make(BEN, { subject: "Ben's", participants: [ADA, CARLA] });
  const onPhone = async (number: string, groupId: string) =>
    (await stack.phones.groups(number)).find(({ id }) => id === groupId);
  const get = (groupId: string) => stack.client.getGroup({ id: 'main', groupId });
  const refusals = (groupId: string) => [
    stack.client.promoteParticipants({ id: 'main', groupId, participants: [CARLA] }),
    stack.client.demoteParticipants({ id: 'main', groupId, participants: [CARLA] }),
    stack.client.setGroupDescription({ id: 'main', groupId, description: 'x' }),
    stack.client.updateGroupSettings({ id: 'main', groupId, editInfo: 'everyone' }),
  ];

  it('is read with its settings and the roles of its participants', async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    const groupId = await foreign();
    await stack.phones.updateGroup(BEN, groupId, {
      description: 'By sea',
      settings: { announce: true, adminsAdd: true },
      promote: [CARLA],
    });
    const group = await eventually(async () => {
      const read = await get(groupId);
      expect(read.settings.sendMessages).toBe('admins');
      expect(read.participants?.filter(({ role }) => role === 'admin')).toHaveLength(1);
      return read;
    });
    expect(group).toMatchObject({
      ...{ id: groupId, subject: "Ben's", description: 'By sea', owner: idOf(BEN) },
      settings: { sendMessages: 'admins', editInfo: 'admins', addParticipants: 'admins', approveJoins: false },
      ...{ participantCount: 3, isAdmin: false },
    });
    expect(Date.parse(group.createdAt ?? '')).toBeGreaterThanOrEqual(before);
    const roles = Object.fromEntries(group.participants?.map(({ id, role }) => [id, role]) ?? []);
    expect(roles).toEqual({ [idOf(ADA)]: 'member', [idOf(BEN)]: 'superadmin', [idOf(CARLA)]: 'admin' });
    expect(group.participants?.every(({ lid }) => lid?.endsWith('@lid'))).toBe(true);
  });

  it('has members promoted to admin and demoted, with a result for each, in order', async () => {
    const groupId = await own(BEN, CARLA);
    const participants = [BEN, NOBODY, `+${CARLA}`, DEV, ADA];
    const codes = (answer: { participants: readonly { id: string; ok: boolean; code: number }[] }) =>
      answer.participants.map(({ id, ok, code }) => [id, ok, code]);
    const admins = async () =>
      (await onPhone(BEN, groupId))?.participants.flatMap(({ id, isAdmin }) => (isAdmin ? id : []));
    const expected = [
      [idOf(BEN), true, 200],
      [idOf(NOBODY), false, 404],
      [idOf(CARLA), true, 200],
      [idOf(DEV), false, 404],
      // The creator of a group remains its superadmin.
      [idOf(ADA), false, 406],
    ];
    const promoted = await stack.client.promoteParticipants({ id: 'main', groupId, participants });
    expect(promoted.groupId).toBe(groupId);
    expect(codes(promoted)).toEqual(expected);
    expect(await admins()).toEqual([ADA, BEN, CARLA].map(idOf));
    expect(codes(await stack.client.demoteParticipants({ id: 'main', groupId, participants }))).toEqual(expected);
    expect(await admins()).toEqual([idOf(ADA)]);
  });

  it('has a description that is set, replaced and removed', async () => {
    const groupId = await own(BEN);
    const describeAs = (description: string) => stack.client.setGroupDescription({ id: 'main', groupId, description });
    expect(await describeAs('By sea')).toEqual({ groupId, description: 'By sea' });
    expect((await onPhone(BEN, groupId))?.description).toBe('By sea');
    await describeAs('By train "and" 👩‍👩‍👧');
    expect((await onPhone(BEN, groupId))?.description).toBe('By train "and" 👩‍👩‍👧');
    await eventually(async () => expect((await get(groupId)).description).toBe('By train "and" 👩‍👩‍👧'));
    // Each names the one that it replaces: the network first refuses one of two concurrent changes.
    await Promise.all([describeAs('By bus'), describeAs('By foot')]);
    expect(['By bus', 'By foot']).toContain((await onPhone(BEN, groupId))?.description);
    expect(await describeAs('')).toEqual({ groupId, description: '' });
    expect((await onPhone(BEN, groupId))?.description).toBeUndefined();
  });

  it('has settings that are changed one by one or several at once', async () => {
    const groupId = await own(BEN);
    const change = (settings: object) => stack.client.updateGroupSettings({ id: 'main', groupId, ...settings });
    const first = { sendMessages: 'admins', editInfo: 'everyone', addParticipants: 'admins', approveJoins: true };
    expect(await change(first)).toEqual({ groupId, settings: first });
    expect((await onPhone(BEN, groupId))?.settings).toEqual({
      ...{ announce: true, restrict: false, adminsAdd: true, approveJoins: true },
    });
    const second = { ...first, addParticipants: 'everyone' };
    expect(await change({ addParticipants: 'everyone' })).toEqual({ groupId, settings: second });
    expect(await change({ approveJoins: false })).toEqual({ groupId, settings: { ...second, approveJoins: false } });
  });

  it('does not report a setting as changed if it still shows the old value', async () => {
    const groupId = await make(ADA, { subject: 'Frozen', participants: [BEN], ignoresSettings: true });
    const frozen = { id: 'main', groupId, sendMessages: 'admins' } as const;
    await expect(stack.client.updateGroupSettings(frozen)).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it('of others is changed only by admins', async () => {
    const groupId = await foreign();
    await expectAll(refusals(groupId), 'not_permitted');
    await stack.phones.updateGroup(BEN, groupId, { settings: { restrict: false } });
    const description = 'Anyone may write this';
    await stack.client.setGroupDescription({ id: 'main', groupId, description });
    expect((await onPhone(BEN, groupId))?.description).toBe(description);
  });

  it('that is unknown is 404', async () => {
    await expectAll([...refusals(UNKNOWN_GROUP), get(UNKNOWN_GROUP)], 'chat_not_found');
  });

  it('is not changed by invalid input, and the error names it', async () => {
    const ofGroup = { id: 'main', groupId: UNKNOWN_GROUP };
    const invalid = async (call: Promise<unknown>, name: string) =>
      expect(call).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(name) });
    await invalid(stack.client.promoteParticipants({ ...ofGroup, participants: [] }), 'participants');
    await invalid(stack.client.demoteParticipants({ ...ofGroup, participants: ['x'] }), 'participants');
    await invalid(stack.client.setGroupDescription({ ...ofGroup, description: 'x'.repeat(2_049) }), 'description');
    await invalid(stack.client.updateGroupSettings({ ...ofGroup, sendMessages: 'me' as 'admins' }), 'sendMessages');
    await invalid(stack.client.updateGroupSettings(ofGroup), 'at least one');
  });
});

async function expectAll(calls: Promise<unknown>[], code: string): Promise<void> {
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code }) })));
}
