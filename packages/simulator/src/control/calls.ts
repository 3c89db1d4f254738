import { describeAccount, listSaved, notifyDevices } from '../network/account.ts';
import { hangUp, ring } from '../network/calls.ts';
import { keepOlderMessages } from '../network/chats.ts';
import { createGroup, joinGroup, listGroups, updateGroup } from '../network/group-phone.ts';
import { describeChannel } from '../network/newsletter.ts';
import { deliverNotice } from '../network/notices.ts';
import { registerPasskey } from '../network/passkey-links.ts';
import { changeContacts, changeProfile, refuseRequests } from '../network/people.ts';
import { listPhones, Phone } from '../network/phone.ts';
import { populate } from '../network/populate.ts';
import type { AccountRecord } from '../network/records.ts';
import { readQr } from '../qr-image.ts';
import { settingsSchema } from '../settings.ts';
import { type Dependencies, defineCall } from './call.ts';
import { inputs } from './inputs.ts';

const account = ({ network }: Dependencies, number: string) => network.directory.get(number);
const phone = ({ network }: Dependencies, number: string) => new Phone(network, number);
/** An account whose phone is on. */
const online = (simulator: Dependencies, number: string) => phone(simulator, number).account;
const set = (simulator: Dependencies, number: string, change: Partial<AccountRecord>) =>
  void Object.assign(account(simulator, number), change);

/** A message with media of the maximum size. */
const MAX_MEDIA_MS = 60_000;
/** A call that waits for pages: longer than its own limit. */
const MAX_PAGES_MS = 70_000;

/**
 * The control API: every call once, under the name of the client's method. The routes, the client and the table in the
 * README come from here.
 */
export const calls = {
  accounts: defineCall('GET', '/accounts', {
    does: 'all accounts',
    run: ({ network }) => network.directory.all().map(describeAccount),
  }),
  listedPhones: defineCall('GET', '/phones', {
    fields: inputs.phoneFilter,
    does: 'the phones whose name or number contains `search`, at most 200: `[{number, name, online, devices, unread}]`',
    run: ({ network }, _, { search }) => listPhones(network, search),
  }),
  account: defineCall('GET', '/accounts/:number', {
    does: 'an account: its phone, its linked devices, how often they logged in, `unlinks`: the devices that were unlinked, with time and cause, and `lookUps`: the ids whose registration they checked, with times; `refusals`: how many of their requests were refused as set',
    run: (simulator, { number }) => describeAccount(account(simulator, number)),
  }),
  addAccount: defineCall('POST', '/accounts', {
    fields: inputs.account,
    does: 'registers an account that is in no address book. With `hiddenNumber`, pages never get its number, only its LID, or its id as a bot',
    run: ({ network }, _, seed) => describeAccount(network.directory.add(seed)),
  }),
  profile: defineCall('PATCH', '/accounts/:number/profile', {
    fields: inputs.profile,
    does: 'the picture is `none`, `private` or `present`; `pictureCode` 401, 404, 423, 429 or 500 is returned instead of it, null removes that; `groupPrivacy` is `all`, or `invite_only` for an account that cannot be added to groups; `hidesAbout` hides the `about` text from everyone; `username` is the name by which others find it, `usernamePin` the PIN that they need; `messageTimer`, in seconds, is for messages in new chats, 0 for none; `contactChanges` is where linked devices may save contacts: also in the address book of the `phone` (default), only in the `app`, or `none`; `businessProfile` is `{description?, address?, email?, websites?, categories?, timezone?, days?}`. Returns the account',
    run: (simulator, { number }, change) => changeProfile(simulator.network, account(simulator, number), change),
  }),
  contacts: defineCall('PATCH', '/accounts/:number/contacts', {
    fields: inputs.contacts,
    does: 'changes the address book; `save` takes `[{number, name}]`, the others people: numbers, `<number>@c.us` or `<digits>@lid`',
    run: (simulator, { number }, change) => changeContacts(simulator.network, account(simulator, number), change),
  }),
  savedContacts: defineCall('GET', '/accounts/:number/contacts', {
    does: 'the contacts of the account: `[{number, name, shortName, onPhone, byUsername}]`; `onPhone` are those in the address book of the phone, `byUsername` those that are saved by user name, without the number',
    run: (simulator, { number }) => listSaved(account(simulator, number)),
  }),
  populate: defineCall('POST', '/accounts/:number/populate', {
    fields: inputs.populate,
    does: 'adds this many chats, contacts and groups at once, without sending messages, for lists of a realistic size; the account owns half of the groups',
    run: (simulator, { number }, amounts) => populate(simulator.network, account(simulator, number), amounts),
  }),
  scan: defineCall('POST', '/accounts/:number/scan', {
    fields: inputs.scan,
    does: 'the phone scans the QR of a page, given as its text or as a PNG data URL: returns `{deviceId}`',
    run: (simulator, { number }, { qr }) => phone(simulator, number).scan(readQr(qr)),
  }),
  pair: defineCall('POST', '/accounts/:number/pair', {
    fields: inputs.pair,
    does: 'the owner types the pairing code of a page into the phone: returns `{deviceId}`',
    run: (simulator, { number }, { code }) => phone(simulator, number).pair(code),
  }),
  requirePasskey: defineCall('PUT', '/accounts/:number/passkey', {
    fields: inputs.passkey,
    does: 'whether linking a device requires a passkey from now on',
    run: (simulator, { number }, { required }) => set(simulator, number, { passkey: required }),
  }),
  registerPasskey: defineCall('POST', '/accounts/:number/passkeys', {
    fields: inputs.passkeyRegistration,
    does: 'the phone registers a passkey, given as the SPKI of its key for ES256; linking requires one from then on. `createPasskey()` of the package makes one',
    run: (simulator, { number }, registration) => registerPasskey(account(simulator, number), registration),
  }),
  handOff: defineCall('PUT', '/accounts/:number/passkey/handoff', {
    fields: inputs.passkeyHandoff,
    does: 'what follows a passkey: `automatic`, the phone continues automatically and the page confirms the code (default); `shown`, the user of the page confirms it; `held`, the page waits for `continueLinking` before that',
    run: (simulator, { number }, { handoff }) => set(simulator, number, { passkeyHandoff: handoff }),
  }),
  continueLinking: defineCall('POST', '/accounts/:number/passkey/continue', {
    does: 'the owner continues, on the phone, the link of a page that has shown its passkey: returns `{code}`, which both show; 409 if no page waits for that',
    run: (simulator, { number }) => simulator.network.linking.passkeys.continue(online(simulator, number)),
  }),
  refuseCodes: defineCall('PUT', '/accounts/:number/code-refusal', {
    fields: inputs.codeRefusal,
    does: 'refuses requests for a pairing code with 400, 403, 429, 452 or 500; null ends that',
    run: (simulator, { number }, { code }) => set(simulator, number, { codeRefusal: code ?? undefined }),
  }),
  send: defineCall('POST', '/accounts/:number/messages', {
    fields: inputs.message,
    does: 'the phone sends a message; `to` is a person, a group or `status@broadcast`; `media` is `{kind, base64, mimeType, filename?}`, and the body is its caption; `location` is `{latitude, longitude, name?, address?}`, `contacts` are `[{name, vcard}]`, `poll` is `{question, options, multiple}`; `type` and `fields` are those of the message in pages, for what only some clients send; with `undecrypted`, `{subtype?}`, pages cannot decrypt it. Returns the message',
    timeoutMs: MAX_MEDIA_MS,
    run: (simulator, { number }, message) => phone(simulator, number).send(message),
  }),
  messages: defineCall('GET', '/accounts/:number/messages', {
    fields: inputs.messageFilter,
    does: 'the messages on the phone in chats and groups, oldest first; `with` a number or a group, those of one chat; `limit`, only the newest',
    run: (simulator, { number }, filter) => phone(simulator, number).messages(filter.with, filter.limit),
  }),
  chats: defineCall('GET', '/accounts/:number/chats', {
    does: 'the chats and groups on the phone, the one with the newest message first, at most 200: `[{id, name, unread, lastMessage?}]`',
    run: (simulator, { number }) => phone(simulator, number).chats(),
  }),
  edit: defineCall('PATCH', '/accounts/:number/messages/:messageId', {
    fields: inputs.edit,
    does: 'edits a message of its own, within 15 minutes; returns the message',
    run: (simulator, { number, messageId }, { body }) => phone(simulator, number).edit(messageId, body),
  }),
  revoke: defineCall('DELETE', '/accounts/:number/messages/:messageId', {
    does: 'deletes a message for everyone, within two and a half days: its own, or as an admin any message of the group',
    run: (simulator, { number, messageId }) => simulator.network.changes.revoke(online(simulator, number), messageId),
  }),
  decrypt: defineCall('POST', '/accounts/:number/messages/:messageId/decrypt', {
    does: 'all pages can decrypt the message from now on',
    run: (simulator, { number, messageId }) => simulator.network.changes.decrypt(online(simulator, number), messageId),
  }),
  media: defineCall('GET', '/accounts/:number/messages/:messageId/media', {
    does: 'the file of a message as the phone received it: `{mimeType, filename?, size, sha256}`',
    run: (simulator, { number, messageId }) => phone(simulator, number).media(messageId),
  }),
  react: defineCall('POST', '/accounts/:number/reactions', {
    fields: inputs.reaction,
    does: 'reacts to a message; an empty emoji removes the reaction',
    run: (simulator, { number }, { messageId, emoji }) =>
      simulator.network.changes.react(online(simulator, number), messageId, emoji),
  }),
  vote: defineCall('POST', '/accounts/:number/votes', {
    fields: inputs.vote,
    does: 'votes in a poll for `options`, by their texts; none removes the vote; `byOtherId` refers to the poll by the other id of the person in its key',
    run: (simulator, { number }, { messageId, options, byOtherId }) =>
      simulator.network.changes.vote(online(simulator, number), messageId, options, byOtherId),
  }),
  keepOlderMessages: defineCall('POST', '/accounts/:number/older-messages', {
    fields: inputs.olderMessages,
    does: 'the phone has `count` older messages from a person, `with`, a day apart, which linked devices get on request, 50 at a time',
    run: (simulator, { number }, { count, ...draft }) => {
      const owner = account(simulator, number);
      keepOlderMessages(owner, simulator.network.peer(draft.with, owner, 'with'), count);
      simulator.network.linking.refresh(owner);
    },
  }),
  answerForOlderMessages: defineCall('PUT', '/accounts/:number/older-messages', {
    fields: inputs.olderMessagesAnswer,
    does: 'how the phone responds to such requests: `shared` sends them (default), `not_shared` sends none, since its owner has not allowed it, `ended` sends these and reports that there are no more for devices',
    run: (simulator, { number }, { answer }) => set(simulator, number, { olderMessagesAnswer: answer }),
  }),
  openApp: defineCall('PUT', '/accounts/:number/app', {
    fields: inputs.app,
    does: 'the owner opens the app on the phone, or closes it: subscribed pages see the person as online, or when they were last online',
    run: ({ network }, { number }, { open }) => network.presences.appear(network.directory.get(number), open),
  }),
  showState: defineCall('POST', '/accounts/:number/states', {
    fields: inputs.state,
    does: 'the owner types or records in the chat `to`, on the phone, for 25 s or until `paused`',
    run: ({ network }, { number }, { to, state }) => {
      const from = network.directory.get(number);
      network.chatStates.show(undefined, from, network.peer(to, from, 'to'), state);
    },
  }),
  ring: defineCall('POST', '/accounts/:number/calls', {
    fields: inputs.call,
    does: 'the phone calls a person, whose pages ring: returns `{id}`',
    run: (simulator, { number }, call) => ring(simulator.network, account(simulator, number), call),
  }),
  hangUp: defineCall('POST', '/accounts/:number/calls/end', {
    fields: inputs.callEnd,
    does: 'ends a call; its `outcome` appears in the log of the pages of the person who was called',
    run: (simulator, { number }, end) => hangUp(simulator.network, account(simulator, number), end),
  }),
  notice: defineCall('POST', '/accounts/:number/notices', {
    fields: inputs.notice,
    does: 'delivers to its pages, live, a message that no person has written, and adds it to their history: `call_log`, `e2e_notification`, `notification_template`, `newsletter` from `<18 digits>@newsletter`, or `membership_approval_request` from a group, `by` the person who asks to join. `isNewMsg` defaults to true, except for `call_log`, as in the real page; returns `{id, chat}`',
    run: (simulator, { number }, notice) => deliverNotice(simulator.network, account(simulator, number), notice),
  }),
  statuses: defineCall('GET', '/accounts/:number/statuses', {
    does: 'the statuses of the last day that the phone can see or has posted, oldest first',
    run: (simulator, { number }) => phone(simulator, number).statuses(),
  }),
  groups: defineCall('GET', '/accounts/:number/groups', {
    does: 'the groups of which the account is a member',
    run: (simulator, { number }) => listGroups(simulator.network, online(simulator, number)),
  }),
  createGroup: defineCall('POST', '/accounts/:number/groups', {
    fields: inputs.group,
    does: 'creates a group in which only admins change the subject, as phones do; with `ignoresSettings` the network reports success for changes of its settings, but makes none; `community` is `{role}` for a community, `{role, id}` for a group of one. Returns the group',
    run: (simulator, { number }, draft) => createGroup(simulator.network, online(simulator, number), draft),
  }),
  updateGroup: defineCall('PATCH', '/accounts/:number/groups/:groupId', {
    fields: inputs.groupUpdate,
    does: 'changes a group, in the order of the fields; `settings` are `announce`, `restrict`, `adminsAdd` and `approveJoins`; `approve` and `reject` decide on people who wait for approval; `picture` is a JPEG in base64, null removes it. Returns the group',
    run: (simulator, { number, groupId }, update) =>
      updateGroup(simulator.network, online(simulator, number), groupId, update),
  }),
  joinGroup: defineCall('POST', '/accounts/:number/invites', {
    fields: inputs.invite,
    does: 'joins a group by the code of its invite, or waits for an admin to approve it: returns `{groupId, waits}`; 404 for an unknown code, 409 for a member, 410 for a code that was renewed',
    run: (simulator, { number }, { code }) => joinGroup(simulator.network, online(simulator, number), code),
  }),
  read: defineCall('POST', '/accounts/:number/read', {
    fields: inputs.read,
    does: 'the phone opens the chat with `from`, and its messages become read (ack 3): returns `{read}`, how many',
    run: (simulator, { number }, { from }) => phone(simulator, number).read(from),
  }),
  mark: defineCall('PATCH', '/accounts/:number/marks', {
    fields: inputs.marks,
    does: 'the phone marks a chat as unread or not, archives it, which unpins it, pins it, mutes it until a time in Unix seconds (-1: forever, 0: not), lets its new messages disappear after `messageTimer` seconds (0: never)',
    run: (simulator, { number }, marks) => phone(simulator, number).mark(marks),
  }),
  setOnline: defineCall('PUT', '/accounts/:number/online', {
    fields: inputs.online,
    does: 'turns the phone on or off; while it is off, messages for it wait',
    run: (simulator, { number }, { online }) => phone(simulator, number).turn(online),
  }),
  logout: defineCall('POST', '/accounts/:number/logout', {
    fields: inputs.logout,
    does: 'unlinks one device, or all; their pages raise the event `times` times. Returns `{devices}`, how many',
    run: (simulator, { number }, { deviceId, times = 1 }) => phone(simulator, number).logout(deviceId, times),
  }),
  disconnect: defineCall('POST', '/accounts/:number/disconnect', {
    does: 'disconnects its linked devices from the network',
    run: (simulator, { number }) => phone(simulator, number).connect(false),
  }),
  reconnect: defineCall('POST', '/accounts/:number/reconnect', {
    does: 'lets its linked devices connect again',
    run: (simulator, { number }) => phone(simulator, number).connect(true),
  }),
  restrict: defineCall('PUT', '/accounts/:number/restricted', {
    fields: inputs.restricted,
    does: 'whether messages from its pages are never acknowledged (ack 0, the send stays pending); look-ups and inbound messages work',
    run: (simulator, { number }, { restricted }) => set(simulator, number, { restricted }),
  }),
  refuse: defineCall('PUT', '/accounts/:number/refusal', {
    fields: inputs.refusal,
    does: 'refuses messages from its pages: `network` (result ERROR_NETWORK, ack 0), `nack` (ERROR_UNKNOWN with `ackErrorCode`, default 463, ack -1), or not at all, `none`. Refused messages have `isSendFailure`',
    run: (simulator, { number }, refusal) => set(simulator, number, { refusal }),
  }),
  refuseRequests: defineCall('PUT', '/accounts/:number/refused-requests', {
    fields: inputs.requestRefusal,
    does: 'refuses requests of its pages, named as in `src/page/wire.ts`, with a code from 400 to 599; null ends that',
    run: (simulator, { number }, refusal) => refuseRequests(account(simulator, number), refusal),
  }),
  limit: defineCall('PUT', '/accounts/:number/limits', {
    fields: inputs.limits,
    does: 'limits writing to people who have not written to the account: `timeLockedUntil` in Unix ms, `newChats` `{total, used, until}` with `until` in Unix seconds; null, or absent: no limit. The pages disable their composers, and the network refuses such messages (463, 475)',
    run: (simulator, { number }, limits) => {
      const owner = account(simulator, number);
      owner.limits = limits;
      notifyDevices(owner, { type: 'limits', limits });
    },
  }),
  setLabels: defineCall('PUT', '/accounts/:number/labels', {
    fields: inputs.labels,
    does: 'the labels of a business account: `[{id, name, colorIndex}]`',
    run: (simulator, { number }, { labels }) => {
      const owner = account(simulator, number);
      owner.labels = labels;
      notifyDevices(owner, { type: 'labels', labels });
    },
  }),
  fault: defineCall('PUT', '/accounts/:number/fault', {
    fields: inputs.fault,
    does: 'a fault of its pages from their next load on: `none`, `document` (never ends), `image` (one never loads: no `load` event), `state` (stays OPENING), `sync` (never synced)',
    run: (simulator, { number }, { kind }) => set(simulator, number, { fault: kind }),
  }),
  stall: defineCall('PUT', '/accounts/:number/stall', {
    fields: inputs.stall,
    does: 'makes the current connections of its pages half-open: they stay open, and what is sent in either direction is held back until they are released. New connections work',
    run: (simulator, { number }, { stalled }) => simulator.pages.stall(account(simulator, number).number, stalled),
  }),
  dropMedia: defineCall('DELETE', '/messages/:messageId/media', {
    does: 'removes the bytes of a message from the media server, which then returns 404 to pages; phones keep theirs',
    run: ({ network }, { messageId }) => network.changes.dropMedia(messageId, network.mediaStore),
  }),
  age: defineCall('POST', '/messages/:messageId/age', {
    fields: inputs.age,
    does: 'makes a message, its reactions and its votes `ms` milliseconds older everywhere, for the time limits of edit and revoke; responds once all connected pages that have it show that, 409 if one does not within 8 s',
    run: ({ network }, { messageId }, { ms }) => network.changes.age(messageId, ms),
  }),
  pages: defineCall('GET', '/pages', {
    does: 'the open pages: socket state, synced or not, QR and its age, `codeFor` and `passkeyFor`: the accounts whose owner has to type its code, or to show a passkey; screen for a passkey, account, last write, `isWaiting`: a request has no answer yet',
    run: ({ pages }) => pages.list(),
  }),
  settled: defineCall('POST', '/settled', {
    does: 'responds once every message has arrived everywhere, and every open page has handled everything that was sent to it; 409 if that takes longer than 60 s: a page is frozen, or its connection is stalled',
    timeoutMs: MAX_PAGES_MS,
    run: ({ network, pages }) => pages.settled(network),
  }),
  disturb: defineCall('POST', '/pages/:pageId/disturb', {
    fields: inputs.disturb,
    does: 'see below; responds once the page has received it, 409 if it does not within 60 s',
    timeoutMs: MAX_PAGES_MS,
    run: ({ pages }, { pageId }, disturbance) => pages.disturb(pageId, disturbance),
  }),
  createChannel: defineCall('POST', '/accounts/:number/channels', {
    fields: inputs.channel,
    does: 'creates a channel; returns it. Its pages get it at their next login',
    run: (simulator, { number }, draft) =>
      describeChannel(simulator.network.newsletters.create({ ...draft, owner: account(simulator, number) })),
  }),
  channel: defineCall('GET', '/channels/:channelId', {
    does: 'a channel with its followers and posts',
    run: ({ network }, { channelId }) => describeChannel(network.newsletters.known(channelId)),
  }),
  postToChannel: defineCall('POST', '/accounts/:number/channels/:channelId/messages', {
    fields: inputs.edit,
    does: 'the owner posts a text to a channel',
    run: (simulator, { number, channelId }, { body }) => phone(simulator, number).post(channelId, body),
  }),
  settings: defineCall('GET', '/settings', {
    does: 'all settings',
    run: ({ settings }) => settings.current,
  }),
  configure: defineCall('PATCH', '/settings', {
    fields: settingsSchema,
    does: 'changes settings, see below; returns all. Settings of pages apply from their next load on',
    run: ({ settings }, _, change) => settings.change(change),
  }),
};
