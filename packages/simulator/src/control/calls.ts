import { describeAccount, notifyDevices } from '../network/account.ts';
import { hangUp, ring } from '../network/calls.ts';
import { fill } from '../network/fill.ts';
import { GroupPhone } from '../network/group-phone.ts';
import { describeChannel } from '../network/newsletter.ts';
import { deliverNotice } from '../network/notices.ts';
import { keepOld } from '../network/old-messages.ts';
import { registerPasskey } from '../network/passkey-links.ts';
import { changeContacts, changeProfile, refuseRequests } from '../network/people.ts';
import { listPhones, Phone } from '../network/phone.ts';
import type { PageFault, WireLabel } from '../page/wire.ts';
import type { DisturbArguments } from '../page-api.ts';
import { readQr } from '../qr-image.ts';
import { type SimulatorSettings, settingsSchema } from '../settings.ts';
import { defineCall, type Stage } from './call.ts';
import {
  type AccountSeed,
  type CallDraft,
  type CallEnd,
  type ChannelDraft,
  type ChatMarks,
  type CodeRefusal,
  type ContactsChange,
  type DisturbanceDraft,
  type Filling,
  type GroupDraft,
  type GroupUpdate,
  inputs,
  type MessageFilter,
  type NoticeDraft,
  type OldMessages,
  type OldMessagesDraft,
  type OutgoingMessage,
  type PasskeyHandoff,
  type PasskeyRegistration,
  type ProfileChange,
  type Refusal,
  type RequestRefusal,
  type ShownState,
} from './inputs.ts';

/** What a phone chooses in a poll. */
interface PollVote {
  readonly messageId: string;
  readonly options: readonly string[];
  readonly byOtherId?: boolean;
}

const account = ({ network }: Stage, number: string) => network.directory.get(number);
const phone = ({ network }: Stage, number: string) => new Phone(network, number);
const groupPhone = ({ network }: Stage, number: string) => new GroupPhone(network, number);

/** The kind and its options as one object; their types belong together by `DisturbArguments`. */
function disturbanceOf([kind, options]: DisturbArguments): DisturbanceDraft {
  return { kind, ...options } as DisturbanceDraft;
}

/**
 * The control API: every call once, under the name of the client's method. The routes, the client and the table in the
 * README come from here.
 */
export const calls = {
  accounts: defineCall('GET', '/accounts', {
    fields: inputs.nothing,
    does: 'all accounts',
    client: () => ({}),
    run: ({ network }) => network.directory.all().map(describeAccount),
  }),
  listedPhones: defineCall('GET', '/phones', {
    fields: inputs.phoneFilter,
    does: 'the phones whose name or number contains `search`, at most 200: `[{number, name, online, devices, unread}]`',
    client: (filter: { readonly search?: string } = {}) => filter,
    run: ({ network }, { search }) => listPhones(network, search),
  }),
  account: defineCall('GET', '/accounts/:number', {
    fields: inputs.nothing,
    does: 'an account: its phone, its linked devices, how often they logged in, `unlinks`: the devices that were unlinked, with time and cause, and `lookUps`: the ids whose registration they checked, with times',
    client: (number: string) => ({ number }),
    run: (stage, { number }) => describeAccount(account(stage, number)),
  }),
  addAccount: defineCall('POST', '/accounts', {
    fields: inputs.account,
    does: 'registers an account that is in no address book. With `hiddenNumber`, pages never get its number, only its LID',
    client: (seed: AccountSeed) => seed,
    run: ({ network }, seed) => describeAccount(network.directory.add(seed)),
  }),
  profile: defineCall('PATCH', '/accounts/:number/profile', {
    fields: inputs.profile,
    does: 'the picture is `none`, `private` or `present`; `pictureCode` 401, 404, 423, 429 or 500 is answered instead of it, null removes that; `groupPrivacy` is `all`, or `invite_only` for an account that cannot be added to groups; `hidesAbout` hides the `about` text from everyone; `businessProfile` is `{description?, address?, email?, websites?, categories?, timezone?, days?}`. Answers the account',
    client: (number: string, change: ProfileChange) => ({ number, ...change }),
    run: (stage, { number, ...change }) => changeProfile(stage.network, account(stage, number), change),
  }),
  contacts: defineCall('PATCH', '/accounts/:number/contacts', {
    fields: inputs.contacts,
    does: 'changes the address book; `save` takes `[{number, name}]`, the others people: numbers, `<number>@c.us` or `<digits>@lid`',
    client: (number: string, change: ContactsChange) => ({ number, ...change }),
    run: (stage, { number, ...change }) => changeContacts(stage.network, account(stage, number), change),
  }),
  fill: defineCall('POST', '/accounts/:number/fill', {
    fields: inputs.fill,
    does: 'adds this many chats, contacts and groups at once, without sending messages, for lists of a realistic size; the account owns half of the groups',
    client: (number: string, amounts: Filling) => ({ number, ...amounts }),
    run: (stage, { number, ...amounts }) => fill(stage.network, account(stage, number), amounts),
  }),
  scan: defineCall('POST', '/accounts/:number/scan', {
    fields: inputs.scan,
    does: 'the phone scans the QR of a page, given as its text or as a PNG data URL: answers `{deviceId}`',
    client: (number: string, qr: string) => ({ number, qr }),
    run: (stage, { number, qr }) => phone(stage, number).scan(readQr(qr)),
  }),
  pair: defineCall('POST', '/accounts/:number/pair', {
    fields: inputs.pair,
    does: 'the owner types the pairing code of a page into the phone: answers `{deviceId}`',
    client: (number: string, code: string) => ({ number, code }),
    run: (stage, { number, code }) => phone(stage, number).pair(code),
  }),
  requirePasskey: defineCall('PUT', '/accounts/:number/passkey', {
    fields: inputs.passkey,
    does: 'whether linking a device requires a passkey from now on',
    client: (number: string, required: boolean) => ({ number, required }),
    run: (stage, { number, required }) => {
      account(stage, number).passkey = required;
    },
  }),
  registerPasskey: defineCall('POST', '/accounts/:number/passkeys', {
    fields: inputs.passkeyRegistration,
    does: 'the phone registers a passkey, given as the SPKI of its key for ES256; linking requires one from then on. `createPasskey()` of the package makes one',
    client: (number: string, registration: PasskeyRegistration) => ({ number, ...registration }),
    run: (stage, { number, ...registration }) => registerPasskey(account(stage, number), registration),
  }),
  handOff: defineCall('PUT', '/accounts/:number/passkey/handoff', {
    fields: inputs.passkeyHandoff,
    does: 'what follows a passkey: `automatic`, the phone continues by itself and the page confirms the code (default); `shown`, the user of the page confirms it; `held`, the page waits for `continueLinking` before that',
    client: (number: string, handoff: PasskeyHandoff) => ({ number, handoff }),
    run: (stage, { number, handoff }) => {
      account(stage, number).passkeyHandoff = handoff;
    },
  }),
  continueLinking: defineCall('POST', '/accounts/:number/passkey/continue', {
    fields: inputs.nothing,
    does: 'the owner continues, on the phone, the link of a page that has shown its passkey: answers `{code}`, which both show; 409 if no page waits for that',
    client: (number: string) => ({ number }),
    run: (stage, { number }) => phone(stage, number).continueLinking(),
  }),
  refuseCodes: defineCall('PUT', '/accounts/:number/code-refusal', {
    fields: inputs.codeRefusal,
    does: 'answers requests for a pairing code with 400, 403, 429, 452 or 500; null ends that',
    client: (number: string, code: CodeRefusal | null) => ({ number, code }),
    run: (stage, { number, code }) => {
      account(stage, number).codeRefusal = code ?? undefined;
    },
  }),
  send: defineCall('POST', '/accounts/:number/messages', {
    fields: inputs.message,
    does: 'the phone sends a message; `to` is a person, a group or `status@broadcast`; `media` is `{kind, base64, mimeType, filename?}`, and the body is its caption; `location` is `{latitude, longitude, name?, address?}`, `contacts` are `[{name, vcard}]`, `poll` is `{question, options, multiple}`. Answers the message',
    client: (number: string, message: OutgoingMessage) => ({ number, ...message }),
    run: (stage, { number, ...message }) => phone(stage, number).send(message),
  }),
  messages: defineCall('GET', '/accounts/:number/messages', {
    fields: inputs.messageFilter,
    does: 'the messages on the phone in chats and groups, oldest first; `with` a number or a group, those of one chat; `limit`, only the newest',
    client: (number: string, filter: MessageFilter = {}) => ({ number, ...filter }),
    run: (stage, fields) => phone(stage, fields.number).messages(fields.with, fields.limit),
  }),
  chats: defineCall('GET', '/accounts/:number/chats', {
    fields: inputs.nothing,
    does: 'the chats and groups on the phone, the one with the newest message first, at most 200: `[{id, name, unread, lastMessage?}]`',
    client: (number: string) => ({ number }),
    run: (stage, { number }) => phone(stage, number).chats(),
  }),
  edit: defineCall('PATCH', '/accounts/:number/messages/:messageId', {
    fields: inputs.edit,
    does: 'edits a message of its own, within 15 minutes; answers the message',
    client: (number: string, edit: { readonly messageId: string; readonly body: string }) => ({ number, ...edit }),
    run: (stage, { number, messageId, body }) => phone(stage, number).edit(messageId, body),
  }),
  revoke: defineCall('DELETE', '/accounts/:number/messages/:messageId', {
    fields: inputs.nothing,
    does: 'deletes a message for everyone, within the hour: its own, or as an admin any message of the group',
    client: (number: string, revocation: { readonly messageId: string }) => ({ number, ...revocation }),
    run: (stage, { number, messageId }) => phone(stage, number).revoke(messageId),
  }),
  media: defineCall('GET', '/accounts/:number/messages/:messageId/media', {
    fields: inputs.nothing,
    does: 'the file of a message as the phone received it: `{mimeType, filename?, size, sha256}`',
    client: (number: string, messageId: string) => ({ number, messageId }),
    run: (stage, { number, messageId }) => phone(stage, number).media(messageId),
  }),
  react: defineCall('POST', '/accounts/:number/reactions', {
    fields: inputs.reaction,
    does: 'reacts to a message; an empty emoji removes the reaction',
    client: (number: string, reaction: { readonly messageId: string; readonly emoji: string }) => ({
      number,
      ...reaction,
    }),
    run: (stage, { number, messageId, emoji }) => phone(stage, number).react(messageId, emoji),
  }),
  vote: defineCall('POST', '/accounts/:number/votes', {
    fields: inputs.vote,
    does: 'votes in a poll for `options`, by their texts; none removes the vote; `byOtherId` refers to the poll by the other id of the person in its key',
    client: (number: string, vote: PollVote) => ({ number, ...vote, options: [...vote.options] }),
    run: (stage, { number, messageId, options, byOtherId }) => phone(stage, number).vote(messageId, options, byOtherId),
  }),
  keepOld: defineCall('POST', '/accounts/:number/old-messages', {
    fields: inputs.oldMessages,
    does: 'the phone has `count` older messages from a person, `with`, a day apart, which linked devices get on request, 50 at a time',
    client: (number: string, draft: OldMessagesDraft) => ({ number, ...draft }),
    run: (stage, { number, count, ...draft }) => {
      const owner = account(stage, number);
      keepOld(owner, stage.network.party(draft.with, owner, 'with'), count);
      stage.network.linking.refresh(owner);
    },
  }),
  answerForOld: defineCall('PUT', '/accounts/:number/old-messages', {
    fields: inputs.oldMessagesAnswer,
    does: 'how the phone answers such requests: `shared` sends them (default), `not_shared` sends none, since its owner has not allowed it, `ended` sends these and reports that there are no more for devices',
    client: (number: string, answer: OldMessages) => ({ number, answer }),
    run: (stage, { number, answer }) => {
      account(stage, number).oldMessages = answer;
    },
  }),
  openApp: defineCall('PUT', '/accounts/:number/app', {
    fields: inputs.app,
    does: 'the owner opens the app on the phone, or closes it: subscribed pages see the person as online, or when they were last online',
    client: (number: string, open: boolean) => ({ number, open }),
    run: ({ network }, { number, open }) => network.presences.appear(network.directory.get(number), open),
  }),
  showState: defineCall('POST', '/accounts/:number/states', {
    fields: inputs.state,
    does: 'the owner types or records in the chat `to`, on the phone, for 25 s or until `paused`',
    client: (number: string, shown: ShownState) => ({ number, ...shown }),
    run: ({ network }, { number, to, state }) => {
      const from = network.directory.get(number);
      network.chatStates.show(undefined, from, network.party(to, from, 'to'), state);
    },
  }),
  ring: defineCall('POST', '/accounts/:number/calls', {
    fields: inputs.call,
    does: 'the phone calls a person, whose pages ring: answers `{id}`',
    client: (number: string, call: CallDraft) => ({ number, ...call }),
    run: (stage, { number, ...call }) => ring(stage.network, account(stage, number), call),
  }),
  hangUp: defineCall('POST', '/accounts/:number/calls/end', {
    fields: inputs.callEnd,
    does: 'ends a call; its `outcome` appears in the log of the pages of the person who was called',
    client: (number: string, end: CallEnd) => ({ number, ...end }),
    run: (stage, { number, ...end }) => hangUp(stage.network, account(stage, number), end),
  }),
  notice: defineCall('POST', '/accounts/:number/notices', {
    fields: inputs.notice,
    does: 'delivers to its pages, live, a message that no person has written, and adds it to their history: `call_log`, `e2e_notification`, `notification_template`, `newsletter` from `<18 digits>@newsletter`, or `membership_approval_request` from a group, `by` the person who asks to join. `isNewMsg` defaults to true, except for `call_log`, as in the real page; answers `{id, chat}`',
    client: (number: string, notice: NoticeDraft) => ({ number, ...notice }),
    run: (stage, { number, ...notice }) => deliverNotice(stage.network, account(stage, number), notice),
  }),
  statuses: defineCall('GET', '/accounts/:number/statuses', {
    fields: inputs.nothing,
    does: 'the statuses of the last day that the phone can see or has posted, oldest first',
    client: (number: string) => ({ number }),
    run: (stage, { number }) => phone(stage, number).statuses(),
  }),
  groups: defineCall('GET', '/accounts/:number/groups', {
    fields: inputs.nothing,
    does: 'the groups of which the account is a member',
    client: (number: string) => ({ number }),
    run: (stage, { number }) => groupPhone(stage, number).list(),
  }),
  createGroup: defineCall('POST', '/accounts/:number/groups', {
    fields: inputs.group,
    does: 'creates a group in which only admins change the subject, as phones do; with `ignoresSettings` the network answers changes of its settings with success, but makes none. Answers the group',
    client: (number: string, group: GroupDraft) => ({ number, ...group }),
    run: (stage, { number, ...draft }) => groupPhone(stage, number).create(draft),
  }),
  updateGroup: defineCall('PATCH', '/accounts/:number/groups/:groupId', {
    fields: inputs.groupUpdate,
    does: 'changes a group, in the order of the fields; `settings` are `announce`, `restrict`, `adminsAdd` and `approveJoins`; `approve` and `reject` decide on people who wait for approval; `picture` is a JPEG in base64, null removes it. Answers the group',
    client: (number: string, groupId: string, update: GroupUpdate) => ({ number, groupId, ...update }),
    run: (stage, { number, groupId, ...update }) => groupPhone(stage, number).update(groupId, update),
  }),
  joinGroup: defineCall('POST', '/accounts/:number/invites', {
    fields: inputs.invite,
    does: 'joins a group by the code of its invite, or waits for an admin to approve it: answers `{groupId, waits}`; 404 for an unknown code, 409 for a member, 410 for a code that was renewed',
    client: (number: string, code: string) => ({ number, code }),
    run: (stage, { number, code }) => groupPhone(stage, number).join(code),
  }),
  read: defineCall('POST', '/accounts/:number/read', {
    fields: inputs.read,
    does: 'the phone opens the chat with `from`, and its messages become read (ack 3): answers `{read}`, how many',
    client: (number: string, from: string) => ({ number, from }),
    run: (stage, { number, from }) => phone(stage, number).read(from),
  }),
  mark: defineCall('PATCH', '/accounts/:number/marks', {
    fields: inputs.marks,
    does: 'the phone marks a chat as unread or not, archives it, which unpins it, pins it, mutes it until a time in Unix seconds (-1: forever, 0: not)',
    client: (number: string, marks: ChatMarks) => ({ number, ...marks }),
    run: (stage, { number, ...marks }) => phone(stage, number).mark(marks),
  }),
  setOnline: defineCall('PUT', '/accounts/:number/online', {
    fields: inputs.online,
    does: 'turns the phone on or off; while it is off, messages for it wait',
    client: (number: string, online: boolean) => ({ number, online }),
    run: (stage, { number, online }) => phone(stage, number).turn(online),
  }),
  logout: defineCall('POST', '/accounts/:number/logout', {
    fields: inputs.logout,
    does: 'unlinks one device, or all; their pages raise the event `times` times. Answers `{devices}`, how many',
    client: (number: string, options: { readonly deviceId?: string; readonly times?: number } = {}) => ({
      number,
      ...options,
    }),
    run: (stage, { number, deviceId, times = 1 }) => phone(stage, number).logout(deviceId, times),
  }),
  disconnect: defineCall('POST', '/accounts/:number/disconnect', {
    fields: inputs.nothing,
    does: 'disconnects its linked devices from the network',
    client: (number: string) => ({ number }),
    run: (stage, { number }) => phone(stage, number).connect(false),
  }),
  reconnect: defineCall('POST', '/accounts/:number/reconnect', {
    fields: inputs.nothing,
    does: 'lets its linked devices connect again',
    client: (number: string) => ({ number }),
    run: (stage, { number }) => phone(stage, number).connect(true),
  }),
  restrict: defineCall('PUT', '/accounts/:number/restricted', {
    fields: inputs.restricted,
    does: 'whether messages from its pages are never acknowledged (ack 0, the send stays pending); look-ups and inbound messages work',
    client: (number: string, restricted: boolean) => ({ number, restricted }),
    run: (stage, { number, restricted }) => {
      account(stage, number).restricted = restricted;
    },
  }),
  refuse: defineCall('PUT', '/accounts/:number/refusal', {
    fields: inputs.refusal,
    does: 'refuses messages from its pages: `network` (result ERROR_NETWORK, ack 0), `nack` (ERROR_UNKNOWN with `ackErrorCode`, default 463, ack -1), or not at all, `none`. Refused messages have `isSendFailure`',
    client: (number: string, refusal: Refusal) => ({ number, ...refusal }),
    run: (stage, { number, ...refusal }) => {
      account(stage, number).refusal = refusal;
    },
  }),
  refuseRequests: defineCall('PUT', '/accounts/:number/refused-requests', {
    fields: inputs.requestRefusal,
    does: 'refuses requests of its pages, named as in `src/page/wire.ts`, with a code from 400 to 599; null ends that',
    client: (number: string, refusal: RequestRefusal) => ({ number, ...refusal }),
    run: (stage, { number, ...refusal }) => refuseRequests(account(stage, number), refusal),
  }),
  setLabels: defineCall('PUT', '/accounts/:number/labels', {
    fields: inputs.labels,
    does: 'the labels of a business account: `[{id, name, colorIndex}]`',
    client: (number: string, labels: readonly WireLabel[]) => ({ number, labels }),
    run: (stage, { number, labels }) => {
      const owner = account(stage, number);
      owner.labels = labels;
      notifyDevices(owner, { type: 'labels', labels });
    },
  }),
  fault: defineCall('PUT', '/accounts/:number/fault', {
    fields: inputs.fault,
    does: 'a fault of its pages from their next load on: `none`, `document` (never ends), `image` (one never loads: no `load` event), `state` (stays OPENING), `sync` (never synced)',
    client: (number: string, kind: PageFault) => ({ number, kind }),
    run: (stage, { number, kind }) => {
      account(stage, number).fault = kind;
    },
  }),
  stall: defineCall('PUT', '/accounts/:number/stall', {
    fields: inputs.stall,
    does: 'makes the current connections of its pages half-open: they stay open, and what is sent in either direction is held back until they are released. New connections work',
    client: (number: string, stalled: boolean) => ({ number, stalled }),
    run: (stage, { number, stalled }) => stage.pages.stall(account(stage, number).number, stalled),
  }),
  dropMedia: defineCall('DELETE', '/messages/:messageId/media', {
    fields: inputs.nothing,
    does: 'removes the bytes of a message from the media server, which then answers pages with 404; phones keep theirs',
    client: (messageId: string) => ({ messageId }),
    run: ({ network }, { messageId }) => network.changes.dropMedia(messageId, network.mediaStore),
  }),
  age: defineCall('POST', '/messages/:messageId/age', {
    fields: inputs.age,
    does: 'makes a message, its reactions and its votes `ms` milliseconds older everywhere, for the time limits of edit and revoke; answers once all connected pages that have it show that, 409 if one does not within 8 s',
    client: (messageId: string, ms: number) => ({ messageId, ms }),
    run: ({ network }, { messageId, ms }) => network.changes.age(messageId, ms),
  }),
  pages: defineCall('GET', '/pages', {
    fields: inputs.nothing,
    does: 'the open pages: socket state, synced or not, QR and its age, `codeFor` and `passkeyFor`: the accounts whose owner has to type its code, or to show a passkey; screen for a passkey, account, last write',
    client: () => ({}),
    run: ({ pages }) => pages.list(),
  }),
  disturb: defineCall('POST', '/pages/:pageId/disturb', {
    fields: inputs.disturb,
    does: 'see below; answers once the page has received it, 409 if it does not within 8 s',
    client: (pageId: string, ...disturbance: DisturbArguments) => ({ pageId, ...disturbanceOf(disturbance) }),
    run: ({ pages }, { pageId, ...disturbance }) => pages.disturb(pageId, disturbance),
  }),
  createChannel: defineCall('POST', '/accounts/:number/channels', {
    fields: inputs.channel,
    does: 'creates a channel; answers it. Its pages get it at their next login',
    client: (number: string, draft: ChannelDraft) => ({ number, ...draft }),
    run: (stage, { number, ...draft }) =>
      describeChannel(stage.network.newsletters.create({ ...draft, owner: account(stage, number) })),
  }),
  channel: defineCall('GET', '/channels/:channelId', {
    fields: inputs.nothing,
    does: 'a channel with its followers and posts',
    client: (channelId: string) => ({ channelId }),
    run: ({ network }, { channelId }) => describeChannel(network.newsletters.get(channelId)),
  }),
  postToChannel: defineCall('POST', '/accounts/:number/channels/:channelId/messages', {
    fields: inputs.edit,
    does: 'the owner posts a text to a channel',
    client: (number: string, channelId: string, body: string) => ({ number, channelId, body }),
    run: (stage, { number, channelId, body }) => phone(stage, number).post(channelId, body),
  }),
  settings: defineCall('GET', '/settings', {
    fields: inputs.nothing,
    does: 'all settings',
    client: () => ({}),
    run: ({ settings }) => settings.current,
  }),
  configure: defineCall('PATCH', '/settings', {
    fields: settingsSchema,
    does: 'changes settings, see below; answers all. Settings of pages apply from their next load on',
    client: (change: Partial<SimulatorSettings>) => change,
    run: ({ settings }, change) => settings.change(change),
  }),
};
