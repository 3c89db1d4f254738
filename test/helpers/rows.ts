import { ARCHIVE_TYPE, type Operation, operations } from '@chat-web/protocol';
import { expect } from 'vitest';
import { type RawAnswer, rawRequest } from './raw-request.ts';

/** A valid body for each operation that has one. */
const bodies: Readonly<Record<string, object>> = {
  requestPairingCode: { phoneNumber: '12025550104' },
  sendMessage: { type: 'text', to: '12025550102', body: 'hello' },
  editMessage: { body: 'hello' },
  deleteMessage: { forEveryone: true },
  setChatState: { state: 'typing' },
  forwardMessage: { to: '12025550102' },
  archiveChat: { archived: true },
  pinChat: { pinned: true },
  muteChat: { until: 'forever' },
  numbersExist: { numbers: ['12025550102'] },
  resolveContacts: { ids: ['12025550102'] },
  setChatLabels: { labelIds: ['1'] },
  createGroup: { subject: 'Friends', participants: ['12025550102'] },
  addParticipants: { participants: ['12025550102'] },
  removeParticipants: { participants: ['12025550102'] },
  renameGroup: { subject: 'Friends' },
  promoteParticipants: { participants: ['12025550102'] },
  demoteParticipants: { participants: ['12025550102'] },
  setGroupDescription: { description: 'Friends' },
  updateGroupSettings: { sendMessages: 'admins' },
  approveJoinRequests: { participants: ['12025550102'] },
  rejectJoinRequests: { participants: ['12025550102'] },
  setGroupPicture: { base64: 'iVBORw0KGgo=' },
  createKey: { name: 'Friends', sessions: ['friends-*'], scope: 'read' },
  createWebhook: { url: 'http://127.0.0.1:9/hook' },
  updateWebhook: { url: 'http://127.0.0.1:9/hook' },
  starMessage: { starred: true },
  pinMessage: { pinned: true },
  replayWebhook: { after: 'oldest' },
  postStatus: { type: 'text', body: 'hello' },
  postToChannel: { body: 'hello' },
  setProfileName: { name: 'Ada' },
  setProfileAbout: { about: 'Busy' },
  setProfilePicture: { base64: 'AQID' },
  setPresence: { presence: 'available' },
  updatePrivacy: { lastSeen: 'none' },
};

/** The parameters of paths, other than the session's id. */
const inPath: Readonly<Record<string, string>> = {
  messageId: 'true_12025550102@c.us_3EB0AA',
  chatId: '12025550102@c.us',
  groupId: '120363000000000000@g.us',
  contactId: '12025550102@c.us',
  code: 'ExampleInvite000000001',
  channelId: '120363000000000000@newsletter',
  callId: '00C28E4F6B2FFA7159760CC8BEAFDDA3',
  keyId: 'key_000000000000',
  webhookId: 'wh_000000000000',
  number: '+12025550102',
};

/** The query that an operation requires. */
const inQuery: Readonly<Record<string, string>> = { searchMessages: '?text=hello' };

/** The header that a body requires. */
export const JSON_TYPE = { 'content-type': 'application/json' };

/** Every operation as a valid request. Tests change parts of it. */
export const rows = Object.entries<Operation>(operations).map(([name, { method, path, body, archive }]) => ({
  name,
  method,
  path: (id: string) =>
    path.replace(/:(\w+)/g, (_, param: string) => (param === 'id' ? id : encodeURIComponent(inPath[param] ?? ''))) +
    (inQuery[name] ?? ''),
  hasId: path.includes(':id'),
  otherParam: path.startsWith('/sessions/:id/') ? /:(?!id\b)(\w+)/.exec(path)?.[1] : undefined,
  body: body ? JSON.stringify(bodies[name]) : undefined,
  type: archive === 'taken' ? { 'content-type': ARCHIVE_TYPE } : JSON_TYPE,
}));
/** Those on a session. */
export const rowsWithId = rows.filter(({ hasId }) => hasId);

/** Requests an operation on a session from a gateway. */
export const ask = (url: string, row: (typeof rows)[number], id: string, headers: Record<string, string> = {}) =>
  rawRequest(url, { method: row.method, path: row.path(id), headers: { ...row.type, ...headers }, body: row.body });

/** Checks that a response is an error of that status and code, with a readable message. */
export function expectError({ status, body }: RawAnswer, expectedStatus: number, code: string): void {
  expect({ status, code: body.code }).toEqual({ status: expectedStatus, code });
  expect(body.error).toMatch(/\w+ \w+/);
}
