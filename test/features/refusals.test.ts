import { GatewayError, type WorkerOperationName } from '@chat-web/protocol';
import { ADA, BEN, CARLA, DEV, EDITH, eventually, media } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { answerToRefusal, REFUSABLE } from '@chat-web/worker/refusals';
import { beforeAll, expect, it } from 'vitest';

const id = 'main';
const CHANNEL = '120363000000000021@newsletter';
const NEWS = '120363000000000022@newsletter';
const base64 = Buffer.from(media[0]?.bytes ?? []).toString('base64');
const CODES = [403, 429, 400, 500];

const stack = sharedStack();
let groupId: string;
/** Of a group that the account is not in. */
let code: string;
beforeAll(async () => {
  const { phones, client } = stack;
  for (const number of [BEN, CARLA]) await phones.send(number, { to: ADA, body: 'hello' });
  await phones.createChannel(ADA, { id: CHANNEL, name: 'Ours' });
  await phones.createChannel(BEN, { id: NEWS, name: 'News' });
  await stack.linkLongAgo(id, ADA);
  groupId = await client.createGroup({ id, subject: 'Trip', participants: [BEN, CARLA] });
  await client.updateGroupSettings({ id, groupId, approveJoins: true });
  await phones.joinGroup(EDITH, (await client.getGroupInvite({ id, groupId })).code);
  ({ inviteCode: code } = await stack.createGroup(BEN, { subject: 'Other', participants: [CARLA] }));
});

const ofSend = async () => (await stack.client.sendMessage({ id, type: 'text', to: BEN, body: 'hello' })).id;
const received = async () => {
  const { id: stanza } = await stack.phones.send(BEN, { to: ADA, body: 'read me' });
  await stack.phones.settled();
  return stanza;
};
const chat = { id, chatId: CARLA };
const read = async () => {
  await stack.client.markChatRead(chat);
  return '';
};
const seen = async () => {
  const { id: stanza } = await stack.phones.send(BEN, { to: 'status@broadcast', body: 'my day' });
  await stack.phones.settled();
  const people = await stack.client.listStatuses({ id });
  return people.flatMap(({ statuses }) => statuses).find((one) => one.id.includes(stanza))?.id ?? '';
};
const rung = async () => {
  const { id: callId } = await stack.phones.ring(BEN, { to: ADA });
  await stack.phones.settled();
  return callId;
};

/** The request of the page, what to prepare, and the call. */
type Case<T> = readonly [request: string, prepare: () => Promise<T>, call: (prepared: T) => Promise<unknown>];
const nothing = async () => '';
const group = (request: string, call: () => Promise<unknown>): Case<string> => [request, nothing, call];

let isOn = false;
const turned = () => {
  isOn = !isOn;
  return isOn;
};
const CASES: { readonly [N in WorkerOperationName]?: Case<string> } = {
  sendMessage: [
    'react',
    ofSend,
    (messageId) => stack.client.sendMessage({ id, type: 'reaction', messageId, emoji: '👍' }),
  ],
  forwardMessage: ['send', ofSend, (messageId) => stack.client.forwardMessage({ id, messageId, to: CARLA })],
  editMessage: ['edit', ofSend, (messageId) => stack.client.editMessage({ id, messageId, body: 'hello again' })],
  deleteMessage: ['revoke', ofSend, (messageId) => stack.client.deleteMessage({ id, messageId, forEveryone: true })],
  pinMessage: ['pin', ofSend, (messageId) => stack.client.pinMessage({ id, messageId, pinned: true })],
  starMessage: ['star', ofSend, (messageId) => stack.client.starMessage({ id, messageId, starred: true })],
  postStatus: ['send', nothing, () => stack.client.postStatus({ id, type: 'text', body: 'my day' })],
  markStatusSeen: ['see-status', seen, (messageId) => stack.client.markStatusSeen({ id, messageId })],
  postToChannel: ['send', nothing, () => stack.client.postToChannel({ id, channelId: CHANNEL, body: 'news' })],
  followChannel: ['follow-channel', nothing, () => stack.client.followChannel({ id, channelId: NEWS })],
  markChatRead: ['seen', received, () => stack.client.markChatRead({ id, chatId: BEN })],
  markChatUnread: ['mark-chat', read, () => stack.client.markChatUnread(chat)],
  archiveChat: ['mark-chat', nothing, () => stack.client.archiveChat({ ...chat, archived: turned() })],
  pinChat: ['mark-chat', nothing, () => stack.client.pinChat({ ...chat, pinned: turned() })],
  muteChat: ['mark-chat', nothing, () => stack.client.muteChat({ ...chat, until: turned() ? 'forever' : null })],
  clearChat: ['clear-chat', nothing, () => stack.client.clearChat(chat)],
  subscribePresence: ['subscribe-presence', nothing, () => stack.client.subscribePresence(chat)],
  createGroup: group('create-group', () => stack.client.createGroup({ id, subject: 'Friends', participants: [BEN] })),
  addParticipants: group('add-to-group', () => stack.client.addParticipants({ id, groupId, participants: [DEV] })),
  removeParticipants: group('change-members', () =>
    stack.client.removeParticipants({ id, groupId, participants: [BEN] }),
  ),
  promoteParticipants: group('change-members', () =>
    stack.client.promoteParticipants({ id, groupId, participants: [BEN] }),
  ),
  demoteParticipants: group('change-members', () =>
    stack.client.demoteParticipants({ id, groupId, participants: [BEN] }),
  ),
  approveJoinRequests: group('answer-join-requests', () =>
    stack.client.approveJoinRequests({ id, groupId, participants: [EDITH] }),
  ),
  rejectJoinRequests: group('answer-join-requests', () =>
    stack.client.rejectJoinRequests({ id, groupId, participants: [EDITH] }),
  ),
  leaveGroup: group('leave-group', () => stack.client.leaveGroup({ id, groupId })),
  renameGroup: group('change-group', () => stack.client.renameGroup({ id, groupId, subject: 'Journey' })),
  setGroupDescription: group('change-group', () =>
    stack.client.setGroupDescription({ id, groupId, description: 'In May' }),
  ),
  updateGroupSettings: group('change-group', () =>
    stack.client.updateGroupSettings({ id, groupId, sendMessages: 'admins' }),
  ),
  renewGroupInvite: group('renew-invite', () => stack.client.renewGroupInvite({ id, groupId })),
  joinGroup: group('join', () => stack.client.joinGroup({ id, code })),
  setGroupPicture: group('set-picture', () => stack.client.setGroupPicture({ id, groupId, base64 })),
  removeGroupPicture: group('set-picture', () => stack.client.removeGroupPicture({ id, groupId })),
  blockContact: group('block', () => stack.client.blockContact({ id, contactId: DEV })),
  saveContact: group('set-contact', () => stack.client.saveContact({ id, contactId: DEV, firstName: 'Dev' })),
  deleteContact: group('set-contact', () => stack.client.deleteContact({ id, contactId: DEV })),
  setProfileName: group('set-name', () => stack.client.setProfileName({ id, name: 'Ada' })),
  setProfileAbout: group('set-about', () => stack.client.setProfileAbout({ id, about: 'Reading' })),
  setProfilePicture: group('set-picture', () => stack.client.setProfilePicture({ id, base64 })),
  removeProfilePicture: group('set-picture', () => stack.client.removeProfilePicture({ id })),
  setPresence: group('presence', () => stack.client.setPresence({ id, presence: 'available' })),
  updatePrivacy: group('set-privacy', () => stack.client.updatePrivacy({ id, lastSeen: 'contacts' } as never)),
  rejectCall: ['reject-call', rung, (callId) => stack.client.rejectCall({ id, callId })],
};

/** These need another account, follow the same path as one above, or keep a pause of ten seconds. */
const OTHERS: readonly WorkerOperationName[] = [
  'setChatLabels',
  'setChatState',
  'deleteChat',
  'unblockContact',
  'unfollowChannel',
  'numbersExist',
  'resolveContacts',
];

it('has a case for each operation that the network can refuse', () => {
  expect([...Object.keys(CASES), ...OTHERS].sort()).toEqual([...REFUSABLE].sort());
});

it.each(Object.entries(CASES))('%s answers a refusal as documented', async (name, [request, prepare, call]) => {
  const answers: unknown[] = [];
  for (const code of CODES) {
    const prepared = await prepare();
    const refuse = (by: number | null) =>
      request === 'send'
        ? stack.phones.refuse(ADA, by === null ? { kind: 'none' } : { kind: 'nack', code: by })
        : stack.phones.refuseRequests(ADA, { requests: [request], code: by });
    const { refusals } = await stack.phones.account(ADA);
    await refuse(code);
    const answer = call(prepared).then(() => undefined);
    answers.push(await answer.catch((error: unknown) => (error instanceof GatewayError ? error.code : error)));
    // Some requests follow the answer.
    await eventually(async () =>
      expect((await stack.phones.account(ADA)).refusals, `refused: ${answers.at(-1)}`).toBeGreaterThan(refusals),
    );
    await refuse(null);
  }
  expect(answers).toEqual(CODES.map((code) => answerToRefusal(name as WorkerOperationName, code)));
});
