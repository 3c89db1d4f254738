import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './helpers/eventually.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const CARLA = '12025550103';
const DEV = '12025550104';
const EDITH = '12025550105';
const HIDDEN = '12025550188';
const UNKNOWN_GROUP = '120363999999999999@g.us';
const UNKNOWN_CODE = 'UnknownInvite000000001';
const idOf = (number: string) => `${number}@c.us`;

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
  await stack.link('main', ADA);
});
afterAll(() => stack[Symbol.asyncDispose]());

/** A group that the session knows, if the account is in it. */
async function make(number: string, ...participants: string[]) {
  const group = await stack.phones.createGroup(number, { subject: 'Trip', participants });
  await eventually(async () => {
    if (![number, ...participants].includes(ADA)) return;
    expect((await stack.client.listGroups({ id: 'main' })).map(({ id }) => id)).toContain(group.id);
  });
  return group;
}
/** A group of Ben's, in which the account is a plain member. */
const foreign = async () => (await make(BEN, ADA)).id;
const onPhone = async (number: string, groupId: string) =>
  (await stack.phones.groups(number)).find(({ id }) => id === groupId);
const membersOnPhone = async (number: string, groupId: string) =>
  (await onPhone(number, groupId))?.participants.map(({ id }) => id).sort();

describe('the invite of a group', () => {
  it('is read, and renewed: people can join only by the new one', async () => {
    const { id: groupId, inviteCode } = await make(ADA, BEN);
    const ofGroup = { id: 'main', groupId };
    const first = await stack.client.getGroupInvite(ofGroup);
    expect(first).toEqual({ groupId, code: inviteCode, url: `https://chat.whatsapp.com/${inviteCode}` });
    const second = await stack.client.renewGroupInvite(ofGroup);
    expect(second.code).not.toBe(first.code);
    expect(await stack.client.getGroupInvite(ofGroup)).toEqual(second);
    await expect(stack.phones.joinGroup(CARLA, first.code)).rejects.toThrow('revoked');
    expect(await stack.phones.joinGroup(CARLA, second.code)).toEqual({ groupId, waits: false });
    await eventually(async () => {
      const { participants } = await stack.client.getGroup(ofGroup);
      expect(participants?.map(({ id }) => id).sort()).toEqual([ADA, BEN, CARLA].map(idOf));
    });
  });

  it('shows its group, and lets the account join', async () => {
    const { id: groupId, inviteCode: code } = await make(BEN, CARLA);
    await stack.phones.updateGroup(BEN, groupId, { description: 'By sea' });
    expect(await stack.client.getInvite({ id: 'main', code })).toEqual({
      ...{ groupId, subject: 'Trip', description: 'By sea', owner: idOf(BEN), participantCount: 2 },
      ...{ createdAt: expect.stringMatching(/^\d{4}-.*Z$/), approveJoins: false },
    });
    expect(await membersOnPhone(BEN, groupId)).toEqual([BEN, CARLA].map(idOf));
    const joined = { groupId, state: 'joined' };
    expect(await stack.client.joinGroup({ id: 'main', code })).toEqual(joined);
    expect(await membersOnPhone(BEN, groupId)).toEqual([ADA, BEN, CARLA].map(idOf));
    await eventually(async () => {
      expect(await stack.client.getGroup({ id: 'main', groupId })).toMatchObject({ isAdmin: false });
    });
    // A member joins only once.
    expect(await stack.client.joinGroup({ id: 'main', code })).toEqual(joined);
  });

  it('lets the account wait where an admin approves join requests', async () => {
    const { id: groupId, inviteCode: code } = await make(BEN, CARLA);
    await stack.phones.updateGroup(BEN, groupId, { settings: { approveJoins: true } });
    expect(await stack.client.getInvite({ id: 'main', code })).toMatchObject({ approveJoins: true });
    for (const _ of ['once', 'twice'])
      expect(await stack.client.joinGroup({ id: 'main', code })).toEqual({ groupId, state: 'waiting' });
    expect(await onPhone(BEN, groupId)).toMatchObject({ requests: [idOf(ADA)] });
    await expect(stack.client.getGroup({ id: 'main', groupId })).rejects.toMatchObject({ code: 'chat_not_found' });
    await stack.phones.updateGroup(BEN, groupId, { approve: [ADA] });
    await eventually(async () => {
      expect(await stack.client.getGroup({ id: 'main', groupId })).toMatchObject({ participantCount: 3 });
    });
  });

  it('of others is for admins; 404 if it was renewed or never existed, 403 if the network refuses', async () => {
    const groupId = await foreign();
    await expectAll(invitesOf(groupId), 'not_permitted');
    await expectAll(invitesOf(UNKNOWN_GROUP), 'chat_not_found');
    const { id, inviteCode: renewed } = await make(BEN);
    await stack.phones.updateGroup(BEN, id, { renewInvite: true });
    const calls = [renewed, UNKNOWN_CODE].flatMap((code) => [
      stack.client.getInvite({ id: 'main', code }),
      stack.client.joinGroup({ id: 'main', code }),
    ]);
    await expectAll(calls, 'chat_not_found');
    const { inviteCode: code } = await make(BEN);
    const refuse = (request: string, status: number | null) =>
      stack.phones.refuseRequests(ADA, { requests: [request], code: status });
    await refuse('invite', 403);
    await expectAll(
      [stack.client.getInvite({ id: 'main', code }), stack.client.joinGroup({ id: 'main', code })],
      'not_permitted',
    );
    await refuse('invite', null);
    await refuse('join', 419);
    await expect(stack.client.joinGroup({ id: 'main', code })).rejects.toMatchObject({
      ...{ code: 'not_permitted', message: expect.stringContaining('full') },
    });
    await refuse('join', null);
    const invalid = stack.client.getInvite({ id: 'main', code: 'no code' });
    await expect(invalid).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('code') });
  });
});

describe('requests to join a group', () => {
  it('are listed, approved or rejected, with a result for each, in order', async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    await stack.phones.addAccount({ number: HIDDEN, name: 'Hidden', hiddenNumber: true });
    const { lid } = await stack.phones.account(HIDDEN);
    const { id: groupId, inviteCode } = await make(ADA, BEN);
    await stack.phones.updateGroup(ADA, groupId, { settings: { approveJoins: true } });
    for (const number of [CARLA, DEV, HIDDEN])
      expect(await stack.phones.joinGroup(number, inviteCode)).toEqual({ groupId, waits: true });
    const ofGroup = { id: 'main', groupId };
    const listed = await stack.client.listJoinRequests(ofGroup);
    expect(listed.map(({ id, by }) => [id, by])).toEqual([
      [idOf(CARLA), 'invite'],
      [idOf(DEV), 'invite'],
      [lid, 'invite'],
    ]);
    for (const { requestedAt } of listed) expect(Date.parse(requestedAt ?? '')).toBeGreaterThanOrEqual(before);

    const approved = await stack.client.approveJoinRequests({ ...ofGroup, participants: [EDITH, lid, CARLA] });
    expect(approved.participants.map(({ id, ok, code }) => [id, ok, code])).toEqual([
      [idOf(EDITH), false, 404],
      [lid, true, 200],
      [idOf(CARLA), true, 200],
    ]);
    expect(await membersOnPhone(BEN, groupId)).toEqual([ADA, BEN, CARLA, HIDDEN].map(idOf));
    const rejected = await stack.client.rejectJoinRequests({ ...ofGroup, participants: [DEV, CARLA] });
    expect(rejected.participants.map(({ code }) => code)).toEqual([200, 404]);
    expect(await stack.client.listJoinRequests(ofGroup)).toEqual([]);
    expect(await stack.phones.groups(DEV)).not.toContainEqual(expect.objectContaining({ id: groupId }));
  });

  it('are answered only by admins of a known group', async () => {
    await expectAll(requestsOf(await foreign()), 'not_permitted');
    await expectAll(requestsOf(UNKNOWN_GROUP), 'chat_not_found');
    const invalid = stack.client.approveJoinRequests({ id: 'main', groupId: UNKNOWN_GROUP, participants: [] });
    await expect(invalid).rejects.toMatchObject({
      ...{ code: 'invalid_request', message: expect.stringContaining('participants') },
    });
  });
});

const invitesOf = (groupId: string) => [
  stack.client.getGroupInvite({ id: 'main', groupId }),
  stack.client.renewGroupInvite({ id: 'main', groupId }),
];

const requestsOf = (groupId: string) => [
  stack.client.listJoinRequests({ id: 'main', groupId }),
  stack.client.approveJoinRequests({ id: 'main', groupId, participants: [CARLA] }),
  stack.client.rejectJoinRequests({ id: 'main', groupId, participants: [CARLA] }),
];

async function expectAll(calls: Promise<unknown>[], code: string): Promise<void> {
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code }) })));
}
