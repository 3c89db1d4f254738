import { sendText } from '@chat-web/host';
import {
  ADA,
  BEN,
  CARLA,
  DEV,
  downloadedBytes,
  EDITH,
  eventually,
  FARID,
  idOf,
  NOBODY,
  UNKNOWN_GROUP,
} from '@chat-web/testing';
import type { EventLog } from '@chat-web/testing/stack';
import { expectRefused, sharedStack } from '@chat-web/testing/story';
import { encode } from 'fast-png';
import { beforeAll, describe, expect, it } from 'vitest';

const HIDDEN = '12025550188';
const UNKNOWN_CODE = 'UnknownInvite000000001';

const stack = sharedStack();
let events: EventLog;
beforeAll(async () => {
  await stack.phones.profile(ADA, { messageTimer: 604_800 });
  await stack.link('main', ADA);
  events = await stack.listen('main');
});

const make = (number: string, ...participants: string[]) =>
  stack.createGroup(number, { subject: 'Trip', participants });
const onPhone = async (number: string, groupId: string) =>
  (await stack.phones.groups(number)).find(({ id }) => id === groupId);
const membersOnPhone = async (number: string, groupId: string) =>
  (await onPhone(number, groupId))?.participants.map(({ id }) => id).sort();

describe('groups', () => {
  const membersOf = (groupId: string) => membersOnPhone(ADA, groupId);
  const listed = async (groupId: string) =>
    (await stack.client.listGroups({ id: 'main' })).find(({ id }) => id === groupId);
  const create = (subject: string, ...participants: string[]) =>
    stack.client.createGroup({ id: 'main', subject, participants });

  it('are created and listed, and messages go both ways', async () => {
    const groupId = await create('Friends', `+${BEN}`, CARLA, NOBODY);
    expect(groupId).toMatch(/^\d{10,20}@g\.us$/);
    expect(await membersOf(groupId)).toEqual([ADA, BEN, CARLA].map(idOf));
    expect(await listed(groupId)).toEqual({ id: groupId, subject: 'Friends', participantCount: 3, isAdmin: true });

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

  it('are created with a result for each person on request, and with the timer of the account', async () => {
    await stack.phones.profile(FARID, { groupPrivacy: 'invite_only' });
    const people = [CARLA, FARID, NOBODY];
    const input = { id: 'main', subject: 'Results', participants: people, results: true as const };
    const { id: groupId, participants } = await stack.client.createGroup(input);
    expect(participants).toEqual([
      { id: idOf(CARLA), ok: true, code: 200 },
      { id: idOf(FARID), ok: false, code: 403, message: expect.any(String), inviteCode: expect.any(String) },
      { id: idOf(NOBODY), ok: false, code: 404, message: expect.any(String) },
    ]);
    expect(await membersOf(groupId)).toEqual([ADA, CARLA].map(idOf));
    expect(await onPhone(ADA, groupId)).toMatchObject({ messageTimer: 604_800 });
    // The account leaves a group that nobody joined.
    const message = expect.stringContaining('the group was left again');
    await expectRefused([create('Nobody joined', FARID)], { code: 'not_permitted', message });
    expect((await stack.phones.groups(ADA)).map(({ subject }) => subject)).not.toContain('Nobody joined');
    await stack.phones.profile(FARID, { groupPrivacy: 'all' });
  });

  it('take people by their hidden id, with a result for each, whether their number is known or not', async () => {
    const harry = '81604523377185@lid';
    const nobody = '81604523377999@lid';
    await stack.phones.addAccount({ number: '12025550185', name: 'Harry', lid: '81604523377185', hiddenNumber: true });
    const [ben, carla] = await Promise.all([BEN, CARLA].map(async (one) => (await stack.phones.account(one)).lid));
    const codes = ({ participants }: { participants: readonly { id: string; code: number }[] }) =>
      participants.map(({ id, code }) => [id, code]);
    const people = [ben ?? '', harry, nobody];
    const made = await stack.client.createGroup({
      id: 'main',
      subject: 'By hidden id',
      participants: people,
      results: true,
    });
    expect(codes(made)).toEqual([
      [ben, 200],
      [harry, 200],
      [nobody, 404],
    ]);
    expect(await membersOf(made.id)).toEqual(expect.arrayContaining([ADA, BEN].map(idOf)));
    const participants = [carla ?? '', harry, nobody, ben ?? ''];
    const added = await stack.client.addParticipants({ id: 'main', groupId: made.id, participants });
    expect(codes(added)).toEqual([
      [carla, 200],
      [harry, 409],
      [nobody, 404],
      [ben, 409],
    ]);
    // Also in a group that shows numbers.
    const { id: byNumber } = await make(ADA, BEN);
    await eventually(async () => expect(await listed(byNumber)).toBeDefined());
    const more = await stack.client.addParticipants({
      id: 'main',
      groupId: byNumber,
      participants: [carla ?? '', harry],
    });
    expect(codes(more)).toEqual([
      [carla, 200],
      [harry, 200],
    ]);
  });

  it('accept messages, although the page has loaded only a part of the members', async () => {
    // For such an id, the simulator leaves out the account at first.
    const draft = { id: '120363000000000043@g.us', subject: 'Many', participants: [ADA, CARLA] };
    const { id: to } = await stack.phones.createGroup(BEN, draft);
    await stack.client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    expect(await stack.client.sendMessage({ id: 'main', type: 'text', to, body: 'hello' })).toMatchObject({ to });
  });

  it('where only admins write refuse the messages of others, before anything is sent', async () => {
    const { id: groupId } = await make(BEN, ADA);
    await stack.phones.updateGroup(BEN, groupId, { settings: { announce: true } });
    const send = (body: string) => sendText(stack.client, { id: 'main', type: 'text', to: groupId, body });
    await eventually(async () => {
      const { settings } = await stack.client.getGroup({ id: 'main', groupId });
      expect(settings.sendMessages).toBe('admins');
    });
    const message = expect.stringContaining('only admins can write');
    await expect(send('not mine to say')).rejects.toMatchObject({ code: 'not_permitted', message });
    await stack.phones.updateGroup(BEN, groupId, { settings: { announce: false } });
    await eventually(() => send('mine again'));
    expect((await stack.phones.messages(BEN, { with: groupId })).map(({ body }) => body)).not.toContain(
      'not mine to say',
    );
  });

  it('delete a message for everyone, even if the page has not loaded the members', async () => {
    const groupId = await create('Members later', BEN);
    const { id } = await sendText(stack.client, { id: 'main', type: 'text', to: groupId, body: 'regretted' });
    await stack.client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    const deleted = await stack.client.deleteMessage({ id: 'main', messageId: id, forEveryone: true });
    expect(deleted).toEqual({ id, deletedFor: 'everyone' });
    await eventually(async () => expect(await stack.onPhone(BEN, id)).toMatchObject({ type: 'revoked' }));
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
    const { id: foreign } = await stack.createGroup(BEN, { subject: "Ben's", participants: [ADA, CARLA] });
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
      expect(await listed(groupId)).toMatchObject({ participantCount: 2 });
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
    await eventually(async () => expect((await onPhone(BEN, groupId))?.subject).toBe(subject));
  });

  it('are left once', async () => {
    const groupId = await create('To be left', BEN);
    expect(await stack.client.leaveGroup({ id: 'main', groupId })).toEqual({ groupId, left: true });
    expect((await onPhone(BEN, groupId))?.participants).toHaveLength(1);
    await expect(stack.client.leaveGroup({ id: 'main', groupId })).rejects.toMatchObject({ code: 'chat_not_found' });
    expect(await listed(groupId)).toBeUndefined();
  });

  it('of others can be changed only by admins, but members may add people unless the settings forbid it', async () => {
    const { id: groupId } = await stack.phones.createGroup(BEN, { subject: "Ben's", participants: [ADA, CARLA] });
    const addFarid = () => stack.client.addParticipants({ id: 'main', groupId, participants: [FARID] });
    await eventually(async () => {
      expect(await listed(groupId)).toEqual({ id: groupId, subject: "Ben's", participantCount: 3, isAdmin: false });
    });
    const refused = [
      stack.client.removeParticipants({ id: 'main', groupId, participants: [CARLA] }),
      stack.client.renameGroup({ id: 'main', groupId, subject: 'Mine' }),
    ];
    await expectRefused(refused, { code: 'not_permitted' });
    await stack.phones.updateGroup(BEN, groupId, { settings: { adminsAdd: true } });
    await eventually(async () => {
      const { settings } = await stack.client.getGroup({ id: 'main', groupId });
      expect(settings.addParticipants).toBe('admins');
    });
    await expectRefused([addFarid()], { code: 'not_permitted' });
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
    await expectRefused(refused, { code: 'chat_not_found' });
  });
});

describe('a group', () => {
  const own = async (...participants: string[]) => (await make(ADA, ...participants)).id;
  const get = (groupId: string) => stack.client.getGroup({ id: 'main', groupId });
  const refusals = (groupId: string) => [
    stack.client.promoteParticipants({ id: 'main', groupId, participants: [CARLA] }),
    stack.client.demoteParticipants({ id: 'main', groupId, participants: [CARLA] }),
    stack.client.setGroupDescription({ id: 'main', groupId, description: 'x' }),
    stack.client.updateGroupSettings({ id: 'main', groupId, editInfo: 'everyone' }),
  ];

  it('is read with its settings and the roles of its participants', async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    const groupId = (await make(BEN, ADA, CARLA)).id;
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
      id: groupId,
      subject: 'Trip',
      description: 'By sea',
      owner: idOf(BEN),
      settings: { sendMessages: 'admins', editInfo: 'admins', addParticipants: 'admins', approveJoins: false },
      participantCount: 3,
      isAdmin: false,
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
      announce: true,
      restrict: false,
      adminsAdd: true,
      approveJoins: true,
    });
    const second = { ...first, addParticipants: 'everyone' };
    expect(await change({ addParticipants: 'everyone' })).toEqual({ groupId, settings: second });
    expect(await change({ approveJoins: false })).toEqual({ groupId, settings: { ...second, approveJoins: false } });
  });

  it('does not report a setting as changed if it still shows the old value', async () => {
    const draft = { subject: 'Frozen', participants: [BEN], ignoresSettings: true };
    const { id: groupId } = await stack.createGroup(ADA, draft);
    const frozen = { id: 'main', groupId, sendMessages: 'admins' } as const;
    await expect(stack.client.updateGroupSettings(frozen)).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it('of others is changed only by admins', async () => {
    const groupId = (await make(BEN, ADA, CARLA)).id;
    await expectRefused(refusals(groupId), { code: 'not_permitted' });
    await stack.phones.updateGroup(BEN, groupId, { settings: { restrict: false } });
    const description = 'Anyone may write this';
    await stack.client.setGroupDescription({ id: 'main', groupId, description });
    expect((await onPhone(BEN, groupId))?.description).toBe(description);
  });

  it('that is unknown is 404', async () => {
    await expectRefused([...refusals(UNKNOWN_GROUP), get(UNKNOWN_GROUP)], { code: 'chat_not_found' });
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
      groupId,
      subject: 'Trip',
      description: 'By sea',
      owner: idOf(BEN),
      participantCount: 2,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      approveJoins: false,
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
    const groupId = (await make(BEN, ADA)).id;
    await expectRefused(invitesOf(groupId), { code: 'not_permitted' });
    await expectRefused(invitesOf(UNKNOWN_GROUP), { code: 'chat_not_found' });
    const { id, inviteCode: renewed } = await make(BEN);
    await stack.phones.updateGroup(BEN, id, { renewInvite: true });
    const calls = [renewed, UNKNOWN_CODE].flatMap((code) => [
      stack.client.getInvite({ id: 'main', code }),
      stack.client.joinGroup({ id: 'main', code }),
    ]);
    await expectRefused(calls, { code: 'chat_not_found' });
    const { inviteCode: code } = await make(BEN);
    const refuse = (request: string, status: number | null) =>
      stack.phones.refuseRequests(ADA, { requests: [request], code: status });
    await refuse('invite', 403);
    await expectRefused([stack.client.getInvite({ id: 'main', code }), stack.client.joinGroup({ id: 'main', code })], {
      code: 'not_permitted',
    });
    await refuse('invite', null);
    await refuse('join', 419);
    await expect(stack.client.joinGroup({ id: 'main', code })).rejects.toMatchObject({
      code: 'not_permitted',
      message: expect.stringContaining('full'),
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
    await expectRefused(requestsOf((await make(BEN, ADA)).id), { code: 'not_permitted' });
    await expectRefused(requestsOf(UNKNOWN_GROUP), { code: 'chat_not_found' });
    const invalid = stack.client.approveJoinRequests({ id: 'main', groupId: UNKNOWN_GROUP, participants: [] });
    await expect(invalid).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('participants'),
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

describe('the picture of a group', () => {
  const set = (groupId: string, base64: string) => stack.client.setGroupPicture({ id: 'main', groupId, base64 });
  const remove = (groupId: string) => stack.client.removeGroupPicture({ id: 'main', groupId });
  const picture = (width: number, height: number) =>
    Buffer.from(encode({ width, height, data: new Uint8Array(width * height * 4).fill(200), channels: 4 })).toString(
      'base64',
    );

  async function get(groupId: string) {
    const download = await stack.client.getGroupPicture({ id: 'main', groupId });
    if (!download) return undefined;
    return { mimeType: download.mimeType, bytes: await downloadedBytes(download) };
  }

  /** The size of a JPEG, from its first frame. */
  function sizeOf(jpeg: Buffer): [width: number, height: number] {
    const at = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    return [jpeg.readUInt16BE(at + 7), jpeg.readUInt16BE(at + 5)];
  }

  it('is set as a square JPEG, read and removed', async () => {
    const groupId = (await make(ADA, BEN)).id;
    expect(await get(groupId)).toBeUndefined();
    expect(await set(groupId, picture(900, 700))).toEqual({ groupId });
    const read = await get(groupId);
    expect(read?.mimeType).toBe('image/jpeg');
    expect(sizeOf(read?.bytes as Buffer)).toEqual([640, 640]);
    expect((await onPhone(BEN, groupId))?.pictureBytes).toBe(read?.bytes.length);
    // Also a small one, and a JPEG.
    await set(groupId, picture(40, 30));
    const small = await get(groupId);
    expect(sizeOf(small?.bytes as Buffer)).toEqual([640, 640]);
    await set(groupId, read?.bytes.toString('base64') ?? '');
    expect(sizeOf((await get(groupId))?.bytes as Buffer)).toEqual([640, 640]);
    expect(await remove(groupId)).toEqual({ groupId });
    expect(await get(groupId)).toBeUndefined();
    expect(await onPhone(BEN, groupId)).not.toHaveProperty('pictureBytes');
  });

  it('of others is changed only by admins', async () => {
    const groupId = (await make(BEN, ADA)).id;
    await expectRefused([set(groupId, picture(40, 40)), remove(groupId)], { code: 'not_permitted' });
    await stack.phones.updateGroup(BEN, groupId, { settings: { restrict: false } });
    await set(groupId, picture(40, 40));
    expect((await onPhone(BEN, groupId))?.pictureBytes).toBeGreaterThan(0);
  });

  it('of an unknown group is 404', async () => {
    const calls = [set(UNKNOWN_GROUP, picture(40, 40)), remove(UNKNOWN_GROUP), get(UNKNOWN_GROUP)];
    await expectRefused(calls, { code: 'chat_not_found' });
  });

  it('is not made of a file that is no image', async () => {
    const groupId = (await make(ADA, BEN)).id;
    const broken = Buffer.concat([Buffer.from(picture(40, 40), 'base64').subarray(0, 30), Buffer.alloc(50)]);
    await expectRefused([set(groupId, broken.toString('base64'))], { code: 'media_unavailable' });
    const url = 'http://127.0.0.1:9/picture.png';
    await expectRefused([stack.client.setGroupPicture({ id: 'main', groupId, url })], { code: 'media_unavailable' });
    const invalid = async (call: Promise<unknown>, field: string) =>
      expect(call).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(field) });
    await invalid(set(groupId, Buffer.from('%PDF-1.4\n').toString('base64')), 'application/pdf');
    await invalid(stack.client.setGroupPicture({ id: 'main', groupId }), 'base64');
    expect(await get(groupId)).toBeUndefined();
  });
});
