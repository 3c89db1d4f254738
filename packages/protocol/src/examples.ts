import type { OperationName } from './operations/index.ts';

/** Ids in the simulator's world that examples use; they are the same each time. */
export const exampleIds = {
  session: 'main',
  person: '12025550102@c.us',
  status: 'false_status@broadcast_3A00000000000000000D_12025550102@c.us',
  inboundMedia: 'false_12025550102@c.us_3A00000000000000000A',
  outboundText: 'true_12025550102@c.us_3A00000000000000000B',
  doomedText: 'true_12025550102@c.us_3A00000000000000000C',
  poll: 'false_12025550102@c.us_3A00000000000000000E',
  call: '3A00000000000000000F',
  oldChat: '12025550107@c.us',
  group: '120363000000000001@g.us',
  groupToLeave: '120363000000000002@g.us',
  inviteCode: 'ExampleInvite000000001',
  channel: '120363000000000003@newsletter',
  ownChannel: '120363000000000004@newsletter',
} as const;

/** One transparent pixel, as PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** An example of an operation: its path parameters, query and body. */
export interface Example {
  readonly path: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

const { person, group, groupToLeave } = exampleIds;
const id = exampleIds.session;
const ofChat = { id, chatId: person };
const ofChannel = { id, channelId: exampleIds.channel };
const ofOldChat = { id, chatId: exampleIds.oldChat };
const ofStranger = { id, contactId: '12025550107@c.us' };
const ofWebhook = { webhookId: 'wh_0a1b2c3d4e5f' };

/**
 * Examples of every operation, by name. Each works unchanged against the demo, unless another has removed what it
 * names, with these exceptions: `numbersExist` is 429 for ten minutes after a link; `setProfileName` is 403, because
 * the demo's account is a business, which labels need; `unfollowChannel` needs `followChannel` first; `logoutSession`
 * needs `spare` to be linked. The ids of keys and webhooks, and the session `elsewhere`, stand for your own.
 */
export const examples: { readonly [N in OperationName]: Readonly<Record<string, Example>> } = {
  getAccess: { own: { path: {} } },
  listKeys: { all: { path: {} } },
  createKey: { shop: { path: {}, body: { name: 'The shop', sessions: ['shop-*'], scope: 'send' } } },
  deleteKey: { known: { path: { keyId: 'key_0a1b2c3d4e5f' } } },
  listWebhooks: { all: { path: {} } },
  createWebhook: {
    all: { path: {}, body: { url: 'http://localhost:8080/chat-events' } },
    messages: {
      path: {},
      body: { url: 'http://localhost:8080/chat-events', sessions: ['main', 'shop-*'], events: ['message'] },
    },
  },
  getWebhook: { known: { path: ofWebhook } },
  updateWebhook: {
    known: { path: ofWebhook, body: { url: 'http://localhost:8080/chat-events', events: ['message'] } },
  },
  deleteWebhook: { known: { path: ofWebhook } },
  replayWebhook: { oldest: { path: ofWebhook, body: { after: 'oldest' } } },
  testWebhook: { known: { path: ofWebhook } },
  rotateWebhookSecret: { known: { path: ofWebhook } },
  listDeadLetters: { known: { path: ofWebhook } },
  replayDeadLetters: { known: { path: ofWebhook } },
  listDeliveries: { known: { path: ofWebhook } },
  getHost: { lastHour: { path: {} } },
  listSessions: { all: { path: {} } },
  startSession: { again: { path: { id } } },
  restartSession: { again: { path: { id } } },
  logoutSession: { known: { path: { id: 'spare' } } },
  stopSession: { known: { path: { id: 'spare' } } },
  deleteSession: { known: { path: { id: 'spare' } } },
  exportSession: { known: { path: { id: 'elsewhere' } } },
  importSession: { known: { path: { id: 'elsewhere' } } },
  getQr: { waiting: { path: { id: 'spare' } } },
  getSessionStatus: { known: { path: { id } } },
  getSessionInfo: { ready: { path: { id } } },
  getSessionMemory: { known: { path: { id } } },
  requestPairingCode: { code: { path: { id: 'spare' }, body: { phoneNumber: '+12025550104' } } },
  sendMessage: {
    text: { path: { id }, body: { type: 'text', to: '+12025550102', body: 'Hello' } },
    reply: {
      path: { id },
      body: { type: 'text', to: person, body: 'A nice picture', quotedMessageId: exampleIds.inboundMedia },
    },
    image: {
      path: { id },
      body: {
        type: 'image',
        to: person,
        base64: PIXEL,
        mimeType: 'image/png',
        filename: 'pixel.png',
        caption: 'Small',
      },
    },
    document: { path: { id }, body: { type: 'document', to: person, base64: 'SGVsbG8=', filename: 'hello.txt' } },
    sticker: { path: { id }, body: { type: 'sticker', to: person, base64: PIXEL } },
    location: {
      path: { id },
      body: { type: 'location', to: person, latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate' },
    },
    contact: {
      path: { id },
      body: { type: 'contact', to: person, contacts: [{ name: 'Carla Mendes', number: '+12025550103' }] },
    },
    poll: {
      path: { id },
      body: { type: 'poll', to: group, question: 'When?', options: ['Friday', 'Saturday'], multiple: true },
    },
    group: { path: { id }, body: { type: 'text', to: group, body: 'Hello all' } },
    mention: { path: { id }, body: { type: 'text', to: group, body: 'Hello @12025550102', mentions: [person] } },
    reaction: { path: { id }, body: { type: 'reaction', messageId: exampleIds.inboundMedia, emoji: '👍' } },
  },
  editMessage: { typo: { path: { id, messageId: exampleIds.outboundText }, body: { body: 'Hello again' } } },
  deleteMessage: { forEveryone: { path: { id, messageId: exampleIds.doomedText }, body: { forEveryone: true } } },
  getMessage: { inbound: { path: { id, messageId: exampleIds.inboundMedia } } },
  listMessages: { newest: { path: { id, chatId: person }, query: { limit: 20 } } },
  loadOlderMessages: { known: { path: ofChat } },
  searchMessages: { everywhere: { path: { id }, query: { text: 'hello' } } },
  listReactions: { inbound: { path: { id, messageId: exampleIds.inboundMedia } } },
  listPollVotes: { poll: { path: { id, messageId: exampleIds.poll } } },
  listReceipts: { sent: { path: { id, messageId: exampleIds.outboundText } } },
  getThumbnail: { inbound: { path: { id, messageId: exampleIds.inboundMedia } } },
  starMessage: { inbound: { path: { id, messageId: exampleIds.inboundMedia }, body: { starred: true } } },
  pinMessage: { week: { path: { id, messageId: exampleIds.inboundMedia }, body: { pinned: true, seconds: 604_800 } } },
  forwardMessage: { picture: { path: { id, messageId: exampleIds.inboundMedia }, body: { to: group } } },
  getMedia: { image: { path: { id, messageId: exampleIds.inboundMedia } } },
  listChats: { all: { path: { id } } },
  getChat: { known: { path: ofChat } },
  markChatRead: { known: { path: ofChat } },
  markChatUnread: { known: { path: ofChat } },
  setChatState: { typing: { path: ofChat, body: { state: 'typing', seconds: 5 } } },
  subscribePresence: { known: { path: ofChat } },
  archiveChat: { archive: { path: ofChat, body: { archived: true } } },
  pinChat: { pin: { path: ofChat, body: { pinned: true } } },
  muteChat: {
    forever: { path: ofChat, body: { until: 'forever' } },
    unmute: { path: ofChat, body: { until: null } },
  },
  clearChat: { known: { path: ofOldChat } },
  deleteChat: { known: { path: ofOldChat } },
  listLabels: { all: { path: { id } } },
  listChatLabels: { known: { path: ofChat } },
  setChatLabels: { one: { path: ofChat, body: { labelIds: ['1'] } } },
  listGroups: { all: { path: { id } } },
  createGroup: { friends: { path: { id }, body: { subject: 'Friends', participants: [person, '12025550104@c.us'] } } },
  addParticipants: { one: { path: { id, groupId: group }, body: { participants: ['12025550104@c.us'] } } },
  removeParticipants: { one: { path: { id, groupId: group }, body: { participants: ['12025550104@c.us'] } } },
  renameGroup: { new: { path: { id, groupId: group }, body: { subject: 'Better friends' } } },
  getGroup: { one: { path: { id, groupId: group } } },
  promoteParticipants: { one: { path: { id, groupId: group }, body: { participants: [person] } } },
  demoteParticipants: { one: { path: { id, groupId: group }, body: { participants: [person] } } },
  setGroupDescription: { new: { path: { id, groupId: group }, body: { description: 'Where to meet, and when' } } },
  updateGroupSettings: {
    some: { path: { id, groupId: group }, body: { sendMessages: 'admins', approveJoins: true } },
  },
  getGroupInvite: { one: { path: { id, groupId: group } } },
  renewGroupInvite: { one: { path: { id, groupId: group } } },
  getInvite: { known: { path: { id, code: exampleIds.inviteCode } } },
  joinGroup: { known: { path: { id, code: exampleIds.inviteCode } } },
  listJoinRequests: { all: { path: { id, groupId: group } } },
  approveJoinRequests: { one: { path: { id, groupId: group }, body: { participants: ['12025550104@c.us'] } } },
  rejectJoinRequests: { one: { path: { id, groupId: group }, body: { participants: ['12025550104@c.us'] } } },
  setGroupPicture: { new: { path: { id, groupId: group }, body: { base64: PIXEL, mimeType: 'image/png' } } },
  getGroupPicture: { known: { path: { id, groupId: group } } },
  removeGroupPicture: { known: { path: { id, groupId: group } } },
  leaveGroup: { one: { path: { id, groupId: groupToLeave } } },
  listContacts: { all: { path: { id } } },
  getContact: { known: { path: { id, contactId: person } } },
  numberExists: { registered: { path: { id, number: '+12025550102' } } },
  getPicture: { known: { path: { id, contactId: person } } },
  numbersExist: { several: { path: { id }, body: { numbers: ['+12025550102', '+12025550104'] } } },
  resolveContacts: { both: { path: { id }, body: { ids: ['+12025550102', '81604523377103@lid'] } } },
  blockContact: { known: { path: ofStranger } },
  unblockContact: { known: { path: ofStranger } },
  listBlocked: { all: { path: { id } } },
  getAbout: { known: { path: { id, contactId: person } } },
  listCommonGroups: { known: { path: { id, contactId: person } } },
  getBusinessProfile: { known: { path: { id, contactId: person } } },
  postStatus: {
    text: { path: { id }, body: { type: 'text', body: 'Good morning', backgroundColor: '#128C7E', font: 1 } },
    image: { path: { id }, body: { type: 'image', base64: PIXEL, caption: 'Small' } },
  },
  listStatuses: { all: { path: { id } } },
  markStatusSeen: { one: { path: { id, messageId: exampleIds.status } } },
  listChannels: { all: { path: { id } } },
  followChannel: { one: { path: ofChannel } },
  getChannel: { byId: { path: ofChannel } },
  listChannelMessages: { newest: { path: { id, channelId: exampleIds.ownChannel }, query: { limit: 20 } } },
  postToChannel: {
    text: { path: { id, channelId: exampleIds.ownChannel }, body: { body: 'Closed on Monday' } },
  },
  unfollowChannel: { one: { path: ofChannel } },
  rejectCall: { ringing: { path: { id, callId: exampleIds.call } } },
  getProfile: { own: { path: { id } } },
  setProfileName: { new: { path: { id }, body: { name: 'Ada at the shop' } } },
  setProfileAbout: { new: { path: { id }, body: { about: 'Open from 9 to 5' } } },
  setProfilePicture: { image: { path: { id }, body: { base64: PIXEL, mimeType: 'image/png' } } },
  removeProfilePicture: { own: { path: { id } } },
  setPresence: { available: { path: { id }, body: { presence: 'available' } } },
  getPrivacy: { own: { path: { id } } },
  updatePrivacy: { some: { path: { id }, body: { lastSeen: 'contacts', readReceipts: 'none' } } },
};
