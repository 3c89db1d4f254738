import { afterEach, describe, expect, it } from 'vitest';
import { poll, Tab } from './testing/tab.ts';

const [ada, ben, carla, dev] = ['12025550101', '12025550102', '12025550103', '12025550104'] as const;
const groupId = (digit: number) => `12036300000000000${digit}@g.us`;

let tab: Tab;
afterEach(() => tab[Symbol.asyncDispose]());

const collection = `const groups = require('WAWebGroupMetadataCollection'); const { Chat } = require('WAWebCollections');
  const wid = require('WAWebWidFactory').createWid(a[0]);`;
const size = `${collection} return [Chat.get(wid)?.groupMetadata?.participants?.length, Chat.get(wid)?.groupMetadata?.size]`;

describe('members of a group', () => {
  it('are known from the start in an older build, with their rights', async () => {
    tab = await Tab.open({ build: '2026-01' });
    await tab.phones.createGroup(ada, { id: groupId(0), subject: 'Trip', participants: [ben, carla] });
    await tab.link(ada);
    expect(await tab.run(size, groupId(0))).toEqual([3, 3]);
    const rights = `${collection} const { participants } = Chat.get(wid).groupMetadata;
      const other = participants.getModelsArray().find((each) => !each.isAdmin);
      return [participants.iAmAdmin(), participants.canRemove(other), participants.canRemove(participants.getMeParticipant())]`;
    expect(await tab.run(rights, groupId(0))).toEqual([true, true, false]);
  });

  it('are known once they were requested, and missing in one of three forms before', async () => {
    tab = await Tab.open({ build: '2026-04' });
    for (const digit of [0, 1, 2]) {
      await tab.phones.createGroup(ada, { id: groupId(digit), subject: `Trip ${digit}`, participants: [ben, carla] });
    }
    await tab.link(ada);
    const form = `${collection} const metadata = Chat.get(wid).groupMetadata;
      return [metadata?.subject ?? null, metadata?.participants?.length ?? null, metadata?.size ?? null];`;
    expect(await tab.run(form, groupId(0))).toEqual([null, null, null]);
    expect(await tab.run(form, groupId(1))).toEqual(['Trip 1', 0, null]);
    expect(await tab.run(form, groupId(2))).toEqual(['Trip 2', null, null]);
    expect(await tab.fail(`${collection} Chat.get(wid).iAmAdmin()`, groupId(2))).toMatchObject({
      message: "Cannot read properties of undefined (reading 'iAmAdmin')",
    });
    // Changes of a group do not load its members.
    await tab.phones.updateGroup(ada, groupId(1), { add: [dev], subject: 'Journey' });
    await poll(() => tab.run(form, groupId(1))).toEqual(['Journey', 0, null]);
    await tab.run(`${collection} await groups.update(wid)`, groupId(0));
    await tab.run(`${collection} await groups.find(wid)`, groupId(1));
    await tab.run(
      `${collection} await require('WAWebGroupQueryJob').queryAndUpdateGroupMetadataById({ id: wid })`,
      groupId(2),
    );
    expect(await tab.run(size, groupId(0))).toEqual([3, 3]);
    expect(await tab.run(size, groupId(1))).toEqual([4, 4]);
    // The models follow a moment later.
    await poll(() => tab.run(size, groupId(2))).toEqual([3, 3]);
    await tab.phones.updateGroup(ada, groupId(1), { remove: [dev] });
    await poll(() => tab.run(size, groupId(1))).toEqual([3, 3]);
    // A new member gets the list of the members.
    await tab.phones.createGroup(ben, { id: groupId(3), subject: 'New', participants: [ada] });
    await poll(() => tab.run(size, groupId(3))).toEqual([2, 2]);
  });

  it('load slowly, and cannot be requested for many groups at once', async () => {
    tab = await Tab.open({ settings: { groupsStored: false, participantsDelayMs: 1_500, minifiedErrors: false } });
    for (const digit of [1, 4, 5, 7]) {
      await tab.phones.createGroup(ada, { id: groupId(digit), subject: 'Trip', participants: [ben] });
    }
    await tab.link(ada);
    const ids = [1, 4, 7, 5].map(groupId);
    const ask = `const start = Date.now(); const { queryAndUpdateGroupMetadataById: query } = require('WAWebGroupQueryJob');
      const ends = await Promise.allSettled(a.map((id) => query({ id })));
      return [ends.map(({ reason }) => reason ? [reason.status, reason.name] : 'ok'), Date.now() - start >= 1_500]`;
    expect(await tab.run(ask, ...ids)).toEqual([['ok', 'ok', 'ok', [429, 'MexServerStatusCodeError']], true]);
    // Through the collection, a refusal looks like a group without members, and is not requested again by itself.
    const refused = `${collection} const { queryAndUpdateGroupMetadataById: query } = require('WAWebGroupQueryJob');
      const others = a.slice(1).map((id) => query({ id }));
      await groups.find(wid); await Promise.all(others); await groups.find(wid);
      const { participants, stale } = groups.get(wid); return [participants?.length, stale]`;
    expect(await tab.run(refused, groupId(5), ...ids.slice(0, 3))).toEqual([0, false]);
  });
});

describe('a group', () => {
  it('that is unknown becomes a chat in which sends fail', async () => {
    tab = await Tab.linked(ada);
    const send = `const wid = require('WAWebWidFactory').createWid(a[0]);
      const { chat, created } = await require('WAWebFindChatAction').findOrCreateLatestChat(wid);
      const me = require('WAWebUserPrefsMeUser').getMaybeMeLidUser();
      const MsgKey = require('WAWebMsgKey');
      const id = new MsgKey({ from: me, to: wid, id: await MsgKey.newId(), participant: me, selfDir: 'out' });
      const values = { id, ack: 0, from: me, to: wid, local: true, self: 'out', t: 1, isNewMsg: true, type: 'chat', body: 'x' };
      const [msg, result] = require('WAWebSendMsgChatAction').addAndSendMsgToChat(chat, values);
      const { messageSendResult } = await result;
      return [created, chat.groupMetadata === undefined, messageSendResult, (await msg).ack, (await msg).isSendFailure]`;
    expect(await tab.run(send, groupId(9))).toEqual([true, true, 'ERROR_UNKNOWN', -1, true]);
  });

  it('is created with inverted flags, described with one object, and left with a result', async () => {
    tab = await Tab.linked(ada, { settings: { lazyModules: false } });
    const make = `const { wid } = await require('WAWebGroupCreateJob').createGroup(
        { title: 'Trip', announce: false, restrict: true, memberAddMode: false }, [{ phoneNumber: a[0] }]);
      const group = await require('WAWebGroupMetadataCollection').update(wid);
      return [String(wid), group.announce, group.restrict, group.memberAddMode]`;
    const [id, ...flags] = await tab.run<[string, boolean, boolean, string]>(make, `${ben}@c.us`);
    expect(flags).toEqual([true, false, 'admin_add']);
    const describeAs = `const wid = require('WAWebWidFactory').createWid(a[0]);
      const { setGroupDescription } = require('WAWebGroupModifyInfoJob');`;
    const object = `${describeAs} await setGroupDescription({ groupWid: wid, desc: 'By sea', newDescId: 'A1', prevDescId: undefined });`;
    await tab.run(object, id);
    expect(await tab.fail(`${describeAs} await setGroupDescription(wid, 'By sea', 'A1', undefined)`, id)).toMatchObject(
      {
        message: "Cannot read properties of undefined (reading 'toJid')",
      },
    );
    const leave = `${collection} const { sendExitGroup } = require('WAWebExitGroupAction');
      return [groups.get(wid).desc, await sendExitGroup(Chat.get(wid)), Chat.get(wid).isReadOnly, await sendExitGroup(Chat.get(wid))]`;
    expect(await tab.run(leave, id)).toEqual(['By sea', true, true, false]);
  });
});

it('the network’s response may be a refusal that is returned, or success that is thrown', async () => {
  tab = await Tab.open({ settings: { lazyModules: false } });
  const { id } = await tab.phones.createGroup(ben, { id: groupId(1), subject: 'Trip', participants: [ada] });
  await tab.link(ada);
  const set = `const { setGroupProperty } = require('WAWebGroupModifyInfoJob');
    const answer = await setGroupProperty(require('WAWebWidFactory').createWid(a[0]), 'announcement', 1);
    return [answer.name, answer.value.errorSetPropertyClientErrors.value.code]`;
  expect(await tab.run(set, id)).toEqual(['SetPropertyResponseClientError', 403]);
  const { inviteCode } = await tab.phones.createGroup(ben, { subject: 'Open', participants: [] });
  const join = `const { joinGroupViaInvite } = require('WAWebGroupInviteJob');
    return joinGroupViaInvite(a[0], true).catch((error) => [String(error.gid), error.membershipApprovalMode])`;
  const [joined] = (await tab.phones.groups(ben)).slice(-1);
  expect(await tab.run(join, inviteCode)).toEqual([joined?.id, false]);
  expect((await tab.phones.groups(ada)).map((group) => group.id)).toContain(joined?.id);
  expect(await tab.fail(`await require('WAWebGroupQueryJob').queryGroupInvite('none')`)).toMatchObject({
    status: 404,
  });
});

describe('a component', () => {
  it('loads modules that are missing before', async () => {
    tab = await Tab.linked(ada, { build: '2026-07' });
    const load = `const before = typeof require(a[0]);
      await new Promise((resolve) => require('Bootloader').loadModules([a[1]], resolve, 'test'));
      return [before, typeof require(a[0])]`;
    expect(await tab.run(load, 'WAWebGroupCreateJob', 'WAWebNewGroupFlow.react')).toEqual(['undefined', 'object']);
    const unknown = `const loaded = new Promise((resolve) => require('Bootloader').loadModules([a[0]], resolve));
      return Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, 200, 'queued'))])`;
    expect(await tab.run(unknown, 'WAWebRevokeStatusAction')).toBe('queued'); // A module is no component.
    const names = `return ['WAWebRevokeStatusAction', 'WAWebCmd'].map((name) => name in require('__debug').modulesMap)`;
    expect(await tab.run(names)).toEqual([false, true]);
  });

  it('is needed only for modules that the real page loads on demand, unless more are configured', async () => {
    const seen = `return ['WAWebGroupCreateJob', 'WAWebPrepRawMedia'].map((name) => typeof require(name))`;
    const load = `await new Promise((resolve) => require('Bootloader').loadModules(['WAWebAttachMediaFlow.react'], resolve));`;
    tab = await Tab.open();
    await poll(() => tab.run(`return typeof window.require`)).toBe('function');
    expect(await tab.run(seen)).toEqual(['undefined', 'object']);
    await tab.run(load);
    expect(await tab.run(seen)).toEqual(['undefined', 'object']);
    await tab.phones.configure({ moreLazyModules: true });
    await tab.page.reload();
    await poll(() => tab.run(`return typeof window.require`)).toBe('function');
    expect(await tab.run(seen)).toEqual(['undefined', 'undefined']);
    expect(await tab.run(`${load} ${seen}`)).toEqual(['undefined', 'object']);
  });

  it('is not needed for modules that only register late', async () => {
    tab = await Tab.open({ settings: { lateModulesMs: 1_500 } });
    const late = `return typeof window.require?.('WAWebSyncGatingUtils')`;
    await poll(() => tab.run(`return typeof window.require`)).toBe('function');
    expect(await tab.run(late)).toBe('undefined');
    await poll(() => tab.run(late)).toBe('object');
    expect(await tab.run(`return Object.keys(require('WAWebSyncGatingUtils'))`)).toEqual([]);
  });
});
