import { sendText } from '@chat-web/host';
import { type AnswerOf, workerOperations } from '@chat-web/protocol';
import { contract } from '@chat-web/worker/contract';
import { expect, it } from 'vitest';
import { lossesOf } from '../../packages/worker/dist/client/capabilities.js';
import { eventually } from '../helpers/eventually.ts';
import { media } from '../helpers/media.ts';
import { ADA, BEN, Stack } from '../helpers/stack.ts';

const CARLA = '12025550103';
const CHANNEL = '120363000000000001@newsletter';
const OWN_CHANNEL = '120363000000000002@newsletter';
const DEV = '12025550104';
const EDITH = '12025550105';
const FARID = '12025550106';
const GRACE = '12025550107';
const LABEL = { id: '1', name: 'New customer', colorIndex: 0 };
const [png] = media;
const base64 = Buffer.from(png?.bytes ?? []).toString('base64');
const sticker = Buffer.from(media.find(({ type }) => type === 'sticker')?.bytes ?? []).toString('base64');

/** A start without a module that everything needs waits 30 s for it. The next attempt is half an hour later. */
const START_MS = 120_000;
const SOON_MS = 25 * 60_000;
/** The page is checked every 15 s. */
const LATE_PARTS_MS = 40_000;

/** What the loop needs in the account: a message to answer, some to edit and delete, one with a file, a group. */
interface Things {
  readonly textId: string;
  readonly editId: string;
  readonly spareIds: string[];
  readonly mediaId: string;
  readonly groupId: string;
  readonly code: string;
  readonly statusId: string;
  readonly pollId: string;
  readonly followed: string[];
}

type Calls = Readonly<Record<string, (things: Things) => Promise<unknown>>>;

/** Makes a change, and reverts it the next time: a change already in place does not reach the page's module. */
function toAndFro(change: (isOn: boolean) => Promise<unknown>): () => Promise<void> {
  let isOn = false;
  return async () => {
    await change(!isOn);
    isOn = !isOn;
  };
}

/** Expects that the operation succeeded for each participant. */
async function toAll(call: Promise<{ readonly participants: readonly { ok: boolean; code: number }[] }>) {
  const { participants } = await call;
  for (const { ok, code } of participants) if (!ok) throw new Error(`it was not done: code ${code}`);
}

/** Every capability that is an operation, with a call that needs it. */
function callsOf(stack: Stack): Calls {
  const { client } = stack;
  const send = (message: object) => client.sendMessage({ id: 'main', to: BEN, ...message } as never);
  // There must be a pause between look-ups of numbers.
  const paced = { retries: 2, timeoutMs: 45_000 };
  return {
    'sendMessage.text': () => send({ type: 'text', body: 'hello' }),
    'sendMessage.reply': ({ textId }) => send({ type: 'text', body: 'a reply', quotedMessageId: textId }),
    'sendMessage.media': () => send({ type: 'image', base64 }),
    'sendMessage.sticker': () => send({ type: 'sticker', base64: sticker, mimeType: 'image/webp' }),
    'sendMessage.location': () => send({ type: 'location', latitude: 1, longitude: 2 }),
    'sendMessage.contact': () => send({ type: 'contact', contacts: [{ name: 'Ben', number: BEN }] }),
    'sendMessage.poll': () => send({ type: 'poll', question: 'When?', options: ['Friday', 'Saturday'] }),
    'sendMessage.reaction': ({ textId }) => send({ type: 'reaction', messageId: textId, emoji: '👍' }),
    forwardMessage: ({ textId }) => client.forwardMessage({ id: 'main', messageId: textId, to: CARLA }),
    editMessage: ({ editId }) =>
      client.editMessage({ id: 'main', messageId: editId, body: `changed ${Math.random()}` }),
    deleteMessage: ({ spareIds }) =>
      client.deleteMessage({ id: 'main', messageId: spareIds.pop() ?? '', forEveryone: false }),
    getMedia: async ({ mediaId }) => (await client.getMedia({ id: 'main', messageId: mediaId }))?.data.cancel(),
    'postStatus.text': () => client.postStatus({ id: 'main', type: 'text', body: 'good morning' }),
    'postStatus.media': () => client.postStatus({ id: 'main', type: 'image', base64 } as never),
    getMessage: ({ textId }) => client.getMessage({ id: 'main', messageId: textId }),
    listMessages: () => client.listMessages({ id: 'main', chatId: BEN }),
    loadOlderMessages: () => client.loadOlderMessages({ id: 'main', chatId: BEN }),
    searchMessages: () => client.searchMessages({ id: 'main', text: 'hello' }),
    listReactions: ({ textId }) => client.listReactions({ id: 'main', messageId: textId }),
    listPollVotes: ({ pollId }) => client.listPollVotes({ id: 'main', messageId: pollId }),
    listReceipts: ({ textId }) => client.listReceipts({ id: 'main', messageId: textId }),
    getThumbnail: async ({ mediaId }) => (await client.getThumbnail({ id: 'main', messageId: mediaId }))?.data.cancel(),
    starMessage: ({ textId }) => client.starMessage({ id: 'main', messageId: textId, starred: true }),
    pinMessage: ({ textId }) => client.pinMessage({ id: 'main', messageId: textId, pinned: true }),
    listChats: () => client.listChats({ id: 'main' }),
    getChat: () => client.getChat({ id: 'main', chatId: BEN }),
    markChatRead: () => client.markChatRead({ id: 'main', chatId: BEN }),
    markChatUnread: () => client.markChatUnread({ id: 'main', chatId: FARID }),
    setChatState: () => client.setChatState({ id: 'main', chatId: BEN, state: 'typing', seconds: 1 }),
    subscribePresence: () => client.subscribePresence({ id: 'main', chatId: BEN }),
    // A chat that is archived is not pinned.
    archiveChat: toAndFro((archived) => client.archiveChat({ id: 'main', chatId: FARID, archived })),
    pinChat: toAndFro((pinned) => client.pinChat({ id: 'main', chatId: BEN, pinned })),
    muteChat: toAndFro((muted) => client.muteChat({ id: 'main', chatId: BEN, until: muted ? 'forever' : null })),
    clearChat: () => client.clearChat({ id: 'main', chatId: FARID }),
    deleteChat: async () => {
      await stack.phones.send(GRACE, { to: ADA, body: 'delete me' });
      await eventually(() => client.getChat({ id: 'main', chatId: GRACE }));
      return client.deleteChat({ id: 'main', chatId: GRACE });
    },
    listGroups: () => client.listGroups({ id: 'main' }),
    listContacts: () => client.listContacts({ id: 'main' }),
    getContact: () => client.getContact({ id: 'main', contactId: BEN }),
    numberExists: () => client.numberExists({ id: 'main', number: BEN }),
    getPicture: async () => (await client.getPicture({ id: 'main', contactId: BEN }))?.data.cancel(),
    numbersExist: () => client.numbersExist({ id: 'main', numbers: [BEN] }, paced),
    resolveContacts: () => client.resolveContacts({ id: 'main', ids: [BEN] }, paced),
    blockContact: () => client.blockContact({ id: 'main', contactId: EDITH }),
    unblockContact: () => client.unblockContact({ id: 'main', contactId: DEV }),
    listBlocked: () => client.listBlocked({ id: 'main' }),
    getAbout: () => client.getAbout({ id: 'main', contactId: BEN }),
    listCommonGroups: () => client.listCommonGroups({ id: 'main', contactId: BEN }),
    getBusinessProfile: () => client.getBusinessProfile({ id: 'main', contactId: BEN }),
    listLabels: () => client.listLabels({ id: 'main' }),
    listChatLabels: () => client.listChatLabels({ id: 'main', chatId: BEN }),
    setChatLabels: toAndFro((labelled) =>
      client.setChatLabels({ id: 'main', chatId: BEN, labelIds: labelled ? [LABEL.id] : [] }),
    ),
    createGroup: () => client.createGroup({ id: 'main', subject: 'Another', participants: [BEN] }),
    renameGroup: ({ groupId }) => client.renameGroup({ id: 'main', groupId, subject: `Trip ${Math.random()}` }),
    addParticipants: ({ groupId }) => toAll(client.addParticipants({ id: 'main', groupId, participants: [EDITH] })),
    removeParticipants: ({ groupId }) =>
      toAll(client.removeParticipants({ id: 'main', groupId, participants: [CARLA] })),
    getGroup: ({ groupId }) => client.getGroup({ id: 'main', groupId }),
    promoteParticipants: ({ groupId }) =>
      toAll(client.promoteParticipants({ id: 'main', groupId, participants: [BEN] })),
    demoteParticipants: ({ groupId }) => toAll(client.demoteParticipants({ id: 'main', groupId, participants: [BEN] })),
    setGroupDescription: ({ groupId }) =>
      client.setGroupDescription({ id: 'main', groupId, description: `Plans ${Math.random()}` }),
    updateGroupSettings: ({ groupId }) =>
      client.updateGroupSettings({ id: 'main', groupId, sendMessages: 'admins', addParticipants: 'admins' }),
    getGroupInvite: ({ groupId }) => client.getGroupInvite({ id: 'main', groupId }),
    renewGroupInvite: ({ groupId }) => client.renewGroupInvite({ id: 'main', groupId }),
    getInvite: ({ code }) => client.getInvite({ id: 'main', code }),
    joinGroup: ({ code }) => client.joinGroup({ id: 'main', code }),
    listJoinRequests: ({ groupId }) => client.listJoinRequests({ id: 'main', groupId }),
    approveJoinRequests: ({ groupId }) =>
      toAll(client.approveJoinRequests({ id: 'main', groupId, participants: [GRACE] })),
    rejectJoinRequests: ({ groupId }) =>
      toAll(client.rejectJoinRequests({ id: 'main', groupId, participants: [FARID] })),
    setGroupPicture: ({ groupId }) => client.setGroupPicture({ id: 'main', groupId, base64 } as never),
    getGroupPicture: async ({ groupId }) => (await client.getGroupPicture({ id: 'main', groupId }))?.data.cancel(),
    removeGroupPicture: ({ groupId }) => client.removeGroupPicture({ id: 'main', groupId }),
    leaveGroup: async ({ groupId }) => client.leaveGroup({ id: 'main', groupId }),
    listChannels: () => client.listChannels({ id: 'main' }),
    getChannel: () => client.getChannel({ id: 'main', channelId: CHANNEL }),
    listChannelMessages: () => client.listChannelMessages({ id: 'main', channelId: OWN_CHANNEL }),
    followChannel: () => client.followChannel({ id: 'main', channelId: CHANNEL }),
    postToChannel: () => client.postToChannel({ id: 'main', channelId: OWN_CHANNEL, body: 'news' }),
    unfollowChannel: async ({ followed }) => client.unfollowChannel({ id: 'main', channelId: followed.pop() ?? '' }),
    listStatuses: () => client.listStatuses({ id: 'main' }),
    markStatusSeen: ({ statusId }) => client.markStatusSeen({ id: 'main', messageId: statusId }),
    rejectCall: async () => {
      const { id: callId } = await stack.phones.ring(BEN, { to: ADA });
      // The page receives the call a moment later.
      const { refusal } = await eventually(() =>
        client.rejectCall({ id: 'main', callId }).then(
          () => ({ refusal: undefined }),
          (error) => {
            if (error.code === 'call_not_found') throw error;
            return { refusal: error };
          },
        ),
      );
      if (!refusal) return;
      await stack.phones.hangUp(BEN, { to: ADA, id: callId, outcome: 'Missed' });
      throw refusal;
    },
    getProfile: () => client.getProfile({ id: 'main' }),
    setProfileName: () => client.setProfileName({ id: 'main', name: `Ada ${Math.random()}`.slice(0, 25) }),
    setProfileAbout: () => client.setProfileAbout({ id: 'main', about: `Busy ${Math.random()}` }),
    setProfilePicture: () => client.setProfilePicture({ id: 'main', base64 }),
    removeProfilePicture: () => client.removeProfilePicture({ id: 'main' }),
    setPresence: () => client.setPresence({ id: 'main', presence: 'unavailable' }),
    getPrivacy: () => client.getPrivacy({ id: 'main' }),
    updatePrivacy: () => client.updatePrivacy({ id: 'main', lastSeen: 'all' }),
  };
}

/** Few enough that most of a session's operations must still work. */
const MOST_AT_ONCE = 6;
const MOST_LOST = 8;

/**
 * The modules to remove in each run of the page. A module that everything needs is removed on its own. Others share a
 * run as long as they lose together exactly what each loses on its own.
 */
function batches(): string[][] {
  const found: string[][] = [];
  for (const module of Object.keys(contract)) {
    const own = new Set<string>(lossesOf([module]).keys());
    const fits = (batch: readonly string[]) => {
      const before = new Set<string>(lossesOf(batch).keys());
      const together = new Set<string>(lossesOf([...batch, module]).keys());
      return (
        batch.length < MOST_AT_ONCE &&
        !before.has('session') &&
        together.size <= MOST_LOST &&
        together.size === new Set([...before, ...own]).size
      );
    };
    const batch = own.has('session') ? undefined : found.find(fits);
    if (batch) batch.push(module);
    else found.push([module]);
  }
  return found;
}

type Status = AnswerOf<'getSessionStatus'>;

/** The capabilities that a session reports as missing because its page lacks parts. */
function lacksOf({ degraded = [] }: Status): string[] {
  return degraded
    .filter(({ reason }) => reason.startsWith('the page lacks'))
    .map(({ capability }) => capability)
    .sort();
}

/** The problem with a session that must not become ready, since its page lacks a module that everything needs. */
function refusalProblem(module: string, { status, reason, message, nextAttemptAt }: Status): string | undefined {
  if (status === 'ready') return 'ready, although everything needs it';
  if (reason !== 'PAGE_UNSUPPORTED' || !message?.includes(`lacks ${module}`))
    return `not ready, without the reason: ${reason} (${message})`;
  const waitMs = Date.parse(nextAttemptAt ?? '') - Date.now();
  return waitMs > SOON_MS ? undefined : `retried in ${Math.round(waitMs / 1_000)} s, too soon to help`;
}

/** The problem with a call, which must succeed, or be refused if its capability is lost; undefined if there is none. */
async function verdict(call: Promise<unknown>, isLost: boolean): Promise<string | undefined> {
  try {
    await call;
    return isLost ? 'answered 2xx, although its page lacks what it needs' : undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (isLost && code === 'page_unsupported') return undefined;
    return `answered ${code} (${message})`;
  }
}

it('a page may lack any module: the session reports it, calls that need it are 501, all others work', async () => {
  await using stack = await Stack.start();
  const { client, phones } = stack;
  await phones.profile(BEN, { picture: 'present' });
  await phones.createChannel(BEN, { id: CHANNEL, name: 'News' });
  await phones.createChannel(ADA, { id: OWN_CHANNEL, name: 'Our news' });
  await phones.setLabels(ADA, [LABEL]);
  await phones.send(FARID, { to: ADA, body: 'hello' });
  await stack.linkLongAgo('main', ADA);
  const events = await stack.listen('main');
  const text = async (body: string) => (await sendText(client, { id: 'main', type: 'text', to: BEN, body })).id;
  const [textId, editId] = [await text('answer me'), await text('edit me')];
  const spareIds: string[] = [];
  for (const modules of batches()) spareIds.push(await text(`delete me (${modules.join()})`));
  await phones.send(BEN, { to: ADA, media: { kind: 'image', base64, mimeType: 'image/png' } });
  const mediaId = (await events.until('message', ({ hasMedia }) => hasMedia)).id;
  await phones.send(BEN, { to: ADA, poll: { question: 'When?', options: ['Friday', 'Sunday'], multiple: true } });
  const pollId = (await events.until('message', ({ poll }) => poll !== undefined)).id;
  const followed: string[] = [];
  for (const _ of batches()) {
    const { id: channelId } = await phones.createChannel(BEN, { name: 'More news' });
    followed.push((await client.followChannel({ id: 'main', channelId })).channelId);
  }
  const calls = callsOf(stack);
  // Operations with kinds are listed once per kind. A page without a linked account has its own tests.
  const covered = new Set(Object.keys(calls).map((capability) => capability.split('.')[0]));
  expect(Object.keys(workerOperations).filter((name) => !covered.has(name))).toEqual(['requestPairingCode']);
  const problems: string[] = [];
  const table: string[] = [];

  for (const modules of batches()) {
    const module = modules.join(', ');
    const { id: groupId, inviteCode } = await phones.createGroup(ADA, { subject: 'Trip', participants: [BEN, CARLA] });
    await phones.updateGroup(ADA, groupId, { settings: { approveJoins: true } });
    for (const number of [GRACE, FARID]) await phones.joinGroup(number, inviteCode);
    const { inviteCode: code } = await phones.createGroup(BEN, { subject: 'Open', participants: [] });
    await phones.contacts(ADA, { block: [DEV], unblock: [EDITH] });
    await phones.read(ADA, FARID);
    const before = await client.getSessionStatus({ id: 'main' });
    await phones.configure({ missingModules: modules });
    await client.restartSession({ id: 'main' });
    const status = await eventually(async () => {
      const now = await client.getSessionStatus({ id: 'main' });
      if (now.status !== 'ready' && !now.nextAttemptAt) throw new Error(`${module}: ${now.status} (${now.message})`);
      return now;
    }, START_MS);
    // Not counting the requested restart.
    const restarts = status.restarts - before.restarts - 1;
    if (restarts > 0) problems.push(`${module}: restarted ${restarts} times`);
    // The contract says what is lost without a module, and where another module does the same.
    const lost = new Set<string>(lossesOf(modules).keys());
    const isFatal = lost.has('session');
    if (isFatal || status.status !== 'ready') {
      table.push(`${module}: ${status.status}: ${status.message}`);
      const problem = isFatal
        ? refusalProblem(module, status)
        : `not ready, although only some need it: ${status.message}`;
      if (problem) problems.push(`${module}: ${problem}`);
      continue;
    }
    table.push(`${module}: ready, without ${[...lost].join(', ') || 'nothing'}`);
    // Labels are tested on a business account, the profile name on a personal one.
    await phones.profile(ADA, { business: true });
    // A new status each time: the page gets only the newest of the feed.
    const greeting = `good morning, ${module}`;
    await phones.send(BEN, { to: 'status@broadcast', body: greeting });
    const statusId = (await events.until('message', ({ body }) => body === greeting)).id;
    const judge = async (capability: string) => {
      const things = { textId, editId, spareIds, mediaId, groupId, code, statusId, pollId, followed };
      const call = calls[capability]?.(things) ?? Promise.resolve();
      const isLost =
        lost.has(capability) ||
        (capability === 'sendMessage.reply' && lost.has('sendMessage.text')) ||
        // An account without a call engine has the module. Only the response says that the engine is missing.
        (capability === 'rejectCall' && modules.includes('WAWebVoipStackInterface'));
      const found = await verdict(call, isLost);
      if (found) problems.push(`${module}: ${capability} ${found}`);
    };
    // Calls on the one group run in sequence, all others in parallel.
    const inTurn = [
      ...['renameGroup', 'addParticipants', 'removeParticipants', 'getGroup', 'promoteParticipants'],
      ...['demoteParticipants', 'setGroupDescription', 'updateGroupSettings', 'getGroupInvite', 'renewGroupInvite'],
      ...['listJoinRequests', 'approveJoinRequests', 'rejectJoinRequests', 'setGroupPicture'],
      ...['getGroupPicture', 'removeGroupPicture', 'leaveGroup'],
    ];
    const others = Object.keys(calls).filter(
      (capability) => !inTurn.includes(capability) && capability !== 'setProfileName',
    );
    const groupWork = async () => {
      for (const capability of inTurn) await judge(capability);
    };
    await Promise.all([...others.map(judge), groupWork()]);
    // Some modules load late: the status lists them as missing until the page is checked again.
    const isListed = async () =>
      expect(lacksOf(await client.getSessionStatus({ id: 'main' }))).toEqual([...lost].sort());
    await eventually(isListed, LATE_PARTS_MS).catch((error: Error) =>
      problems.push(`${module}: the status does not list what is lost: ${error.message}`),
    );
    await phones.profile(ADA, { business: false });
    const body = `with ${module} missing`;
    await phones.send(BEN, { to: ADA, body });
    await events.until('message', (message) => message.body === body);
    await judge('setProfileName');
    const after = await client.getSessionStatus({ id: 'main' });
    if (after.status !== 'ready' || after.restarts !== status.restarts)
      problems.push(`${module}: ${after.status} after ${after.restarts - status.restarts} restarts`);
  }
  process.stdout.write(`missing modules:\n${table.map((row) => `  ${row}`).join('\n')}\n`);
  expect(problems).toEqual([]);
}, 1_200_000);
