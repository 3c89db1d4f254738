import { sendText } from '@chat-web/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventLog } from './helpers/event-log.ts';
import { eventually } from './helpers/eventually.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const CARLA = '12025550103';
const DEV = '12025550104';
const EDITH = '12025550105';
const FARID = '12025550106';
const NOBODY = '12025559999';
const UNKNOWN_GROUP = '120363999999999999@g.us';
const idOf = (number: string) => `${number}@c.us`;

describe('groups', () => {
  let stack: Stack;
  let events: EventLog;
  beforeAll(async () => {
    stack = await Stack.start();
    await stack.link('main', ADA);
    events = await stack.listen('main');
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  const membersOf = async (groupId: string) => {
    const group = (await stack.phones.groups(ADA)).find(({ id }) => id === groupId);
    return group?.participants.map(({ id }) => id).sort();
  };
  const create = (subject: string, ...participants: string[]) =>
    stack.client.createGroup({ id: 'main', subject, participants });

  it('are created and listed, and messages go both ways', async () => {
    const groupId = await create('Friends', `+${BEN}`, CARLA, NOBODY);
    expect(groupId).toMatch(/^\d{10,20}@g\.us$/);
    expect(await membersOf(groupId)).toEqual([ADA, BEN, CARLA].map(idOf));
    const listed = (await stack.client.listGroups({ id: 'main' })).find(({ id }) => id === groupId);
    expect(listed).toEqual({ id: groupId, subject: 'Friends', participantCount: 3, isAdmin: true });

    const sent = await sendText(stack.client, { id: 'main', type: 'text', to: groupId, body: 'hello all' });
    expect(sent.to).toBe(groupId);
    await eventually(async () => {
      const received = (await stack.phones.messages(BEN, { with: groupId })).filter(({ body }) => body === 'hello all');
      expect(received).toHaveLength(1);
    });
    await stack.phones.send(CARLA, { to: groupId, body: 'hello Ada', quotedMessageId: sent.id });
    const received = await events.until('message', ({ body }) => body === 'hello Ada');
    expect(received).toMatchObject({ from: groupId, author: idOf(CARLA), quotedMessageId: sent.id });
    const reply = { id: 'main', type: 'text', to: groupId, body: 'hello Carla', quotedMessageId: received.id } as const;
    expect(await sendText(stack.client, reply)).toMatchObject({ quotedMessageId: received.id });
    await expect(create('Nobody there', NOBODY)).rejects.toMatchObject({ code: 'recipient_not_found' });
  });

  it('get and lose members, with a result for each, in order', async () => {
    const groupId = await create('Members', BEN);
    await stack.phones.profile(DEV, { groupPrivacy: 'invite_only' });
    const participants = [CARLA, DEV, NOBODY, `+${BEN}`, idOf(EDITH)];
    const added = await stack.client.addParticipants({ id: 'main', groupId, participants });
    expect(added.groupId).toBe(groupId);
    expect(added.participants.map(({ id, ok, code }) => [id, ok, code])).toEqual([
      [idOf(CARLA), true, 200],
      [idOf(DEV), false, 403],
      [idOf(NOBODY), false, 404],
      [idOf(BEN), false, 409],
      [idOf(EDITH), true, 200],
    ]);
    expect(await membersOf(groupId)).toEqual([ADA, BEN, CARLA, EDITH].map(idOf));

    // By hidden id, for people without another id, or as a group shows it.
    const carlaLid = (await stack.phones.account(CARLA)).lid;
    const people = [carlaLid, FARID, ADA];
    const removed = await stack.client.removeParticipants({ id: 'main', groupId, participants: people });
    expect(removed.participants.map(({ id, ok, code }) => [id, ok, code])).toEqual([
      [carlaLid, true, 200],
      [idOf(FARID), false, 404],
      [idOf(ADA), false, 405],
    ]);
    await eventually(async () => expect(await membersOf(groupId)).toEqual([ADA, BEN, EDITH].map(idOf)));
    // In a group of others, a member who cannot be removed does not prevent the removal of the rest.
    const { id: foreign } = await stack.phones.createGroup(BEN, { subject: "Ben's", participants: [ADA, CARLA] });
    await stack.phones.updateGroup(BEN, foreign, { promote: [ADA] });
    const some = await eventually(() =>
      stack.client.removeParticipants({ id: 'main', groupId: foreign, participants: [BEN, CARLA] }),
    );
    expect(some.participants.map(({ code }) => code)).toEqual([406, 200]);

    for (const [code, name] of [
      [429, 'rate_limited'],
      [403, 'not_permitted'],
    ] as const) {
      await stack.phones.refuseRequests(ADA, { requests: ['change-members'], code });
      const refused = stack.client.removeParticipants({ id: 'main', groupId, participants: [EDITH] });
      await expect(refused).rejects.toMatchObject({ code: name });
    }
    await stack.phones.refuseRequests(ADA, { requests: ['change-members'], code: null });

    await stack.phones.updateGroup(EDITH, groupId, { leave: true });
    // The account is notified a moment later.
    await eventually(async () => {
      const listed = (await stack.client.listGroups({ id: 'main' })).find(({ id }) => id === groupId);
      expect(listed).toMatchObject({ participantCount: 2 });
    });
    const again = await stack.client.addParticipants({ id: 'main', groupId, participants: [EDITH] });
    expect(again.participants).toMatchObject([{ id: idOf(EDITH), ok: false, code: 408 }]);
  });

  it('have members that the page knows only by hidden id: they are found by number', async () => {
    const strangers = ['12025550181', '12025550182', '12025550183'];
    for (const [n, number] of strangers.entries())
      await stack.phones.addAccount({ number, name: `Stranger ${n}`, lid: `8160452337718${n}`, addressing: 'lid' });
    const [one = '', two = '', three = ''] = strangers;
    const groupId = await create('Strangers', one, two);
    const ofGroup = { id: 'main', groupId };
    const codesOf = ({ participants }: { readonly participants: readonly { readonly code: number }[] }) =>
      participants.map(({ code }) => code);
    const add = (participants: string[]) => stack.client.addParticipants({ ...ofGroup, participants });
    expect(codesOf(await add([three, one]))).toEqual([200, 409]);
    await eventually(async () => expect(codesOf(await add([three]))).toEqual([409]));
    expect(codesOf(await stack.client.promoteParticipants({ ...ofGroup, participants: [two, three] }))).toEqual([
      200, 200,
    ]);
    expect(codesOf(await stack.client.removeParticipants({ ...ofGroup, participants: [one, three] }))).toEqual([
      200, 200,
    ]);
    expect(await membersOf(groupId)).toHaveLength(2);
  });

  it('are renamed', async () => {
    const groupId = await create('Old name', BEN);
    const subject = 'New "name" 👩‍👩‍👧';
    expect(await stack.client.renameGroup({ id: 'main', groupId, subject })).toEqual({ groupId, subject });
    await eventually(async () => {
      expect((await stack.phones.groups(BEN)).find(({ id }) => id === groupId)?.subject).toBe(subject);
    });
  });

  it('are left once', async () => {
    const groupId = await create('To be left', BEN);
    expect(await stack.client.leaveGroup({ id: 'main', groupId })).toEqual({ groupId, left: true });
    expect((await stack.phones.groups(BEN)).find(({ id }) => id === groupId)?.participants).toHaveLength(1);
    await expect(stack.client.leaveGroup({ id: 'main', groupId })).rejects.toMatchObject({ code: 'chat_not_found' });
    expect((await stack.client.listGroups({ id: 'main' })).map(({ id }) => id)).not.toContain(groupId);
  });

  it('of others can be changed only by admins, but members may add people unless the settings forbid it', async () => {
    const { id: groupId } = await stack.phones.createGroup(BEN, { subject: "Ben's", participants: [ADA, CARLA] });
    const addFarid = () => stack.client.addParticipants({ id: 'main', groupId, participants: [FARID] });
    await eventually(async () => {
      const listed = (await stack.client.listGroups({ id: 'main' })).find(({ id }) => id === groupId);
      expect(listed).toEqual({ id: groupId, subject: "Ben's", participantCount: 3, isAdmin: false });
    });
    const refused = [
      stack.client.removeParticipants({ id: 'main', groupId, participants: [CARLA] }),
      stack.client.renameGroup({ id: 'main', groupId, subject: 'Mine' }),
    ];
    await expectAll(refused, 'not_permitted');
    await stack.phones.updateGroup(BEN, groupId, { settings: { adminsAdd: true } });
    await eventually(async () => {
      const { settings } = await stack.client.getGroup({ id: 'main', groupId });
      expect(settings.addParticipants).toBe('admins');
    });
    await expectAll([addFarid()], 'not_permitted');
    expect(await membersOf(groupId)).toEqual([ADA, BEN, CARLA].map(idOf));
    await stack.phones.updateGroup(BEN, groupId, { settings: { adminsAdd: false } });
    await eventually(async () => expect((await addFarid()).participants).toMatchObject([{ code: 200 }]));
    expect(await membersOf(groupId)).toEqual([ADA, BEN, CARLA, FARID].map(idOf));
  });

  it('that are unknown are 404', async () => {
    const input = { id: 'main', groupId: UNKNOWN_GROUP };
    const refused = [
      stack.client.addParticipants({ ...input, participants: [BEN] }),
      stack.client.removeParticipants({ ...input, participants: [BEN] }),
      stack.client.renameGroup({ ...input, subject: 'x' }),
      stack.client.leaveGroup(input),
    ];
    await expectAll(refused, 'chat_not_found');
  });
});

async function expectAll(calls: Promise<unknown>[], code: string): Promise<void> {
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code }) })));
}
