import { NetworkRefusal, SimulatorError } from '../../errors.ts';
import { clear, mark, marksOf, sendOlderMessages } from '../../network/chats.ts';
import { isAdmin, memberIdOf, requireWriter } from '../../network/group.ts';
import { findMessage, peerOf } from '../../network/message.ts';
import { deviceView, receiptViews } from '../../network/message-views.ts';
import type { Network } from '../../network/network.ts';
import { type AccountRecord, type Attachment, Message, type Peer } from '../../network/records.ts';
import type { WireDraft } from '../../page/wire.ts';
import type { Handlers } from './handler.ts';

export const messageRequests = {
  send: async (network, { account, device }, draft) => {
    // Neither acknowledged nor refused.
    if (account.restricted) return new Promise(() => undefined);
    const { refusal } = account;
    if (refusal.kind !== 'none') account.refusals += 1;
    if (refusal.kind === 'network') throw new NetworkRefusal(refusal.code ?? 500, 'the network does not take it');
    if (refusal.kind === 'nack') return { nack: refusal.code ?? 463 };
    try {
      const message = messageFromDraft(network, account, draft);
      const limit = limitOf(account, message.to);
      if (limit !== undefined) return { nack: limit };
      network.chatStates.end(account, message.to);
      return { t: (await network.delivery.submit(message, device)).timestamp };
    } catch (error) {
      if (error instanceof SimulatorError) return { nack: error.status };
      throw error;
    }
  },
  preview: (_network, { account }, { url }) => {
    if (!account.phoneOn) return new Promise(() => undefined);
    return { title: `The page at ${new URL(url).hostname}`, description: url };
  },
  history: (network, { account }, { chat, before, after, limit }) => {
    const peer = network.peer(chat, account, 'chat');
    const log = visibleMessages(account).filter((message) => peerOf(message, account) === peer);
    const views = (from: number, to: number) => log.slice(Math.max(0, from), to).map((one) => deviceView(one, account));
    const anchor = before ?? after;
    if (anchor === undefined) return views(log.length - limit, log.length);
    const at = log.findIndex(({ id, revocation }) => anchor === (revocation?.id ?? id));
    if (at < 0) return null;
    return after === undefined ? views(at - limit, at) : views(at + 1, at + 1 + limit);
  },
  older: (network, { account, device }, { chat }) =>
    sendOlderMessages(account, network.peer(chat, account, 'chat'), device.connection),
  receipts: (_network, { account }, { id }) => {
    const message = getMessage(account, id);
    return message.from === account ? receiptViews(message) : [];
  },
  star: (_network, { account }, { ids, isStarred }) => {
    for (const id of ids) getMessage(account, id).starredBy[isStarred ? 'add' : 'delete'](account);
  },
  pin: (_network, { account }, { id, seconds }) => {
    const message = getMessage(account, id);
    const { to } = message;
    if (to.kind === 'group' && to.restrict && !isAdmin(to, account))
      throw new SimulatorError(403, `id: ${account.number} is no admin of the group`);
    message.pinnedUntilMs = seconds > 0 ? Date.now() + seconds * 1_000 : undefined;
  },
  message: (_network, { account }, { id }) => {
    const known = findMessage(account, id);
    return known && !account.olderMessages.has(known) ? deviceView(known, account) : null;
  },
  react: async ({ changes, delivery }, { account }, { id, emoji, reactionId, atMs }) => {
    await delivery.settled(id);
    changes.react(account, id, emoji, { id: reactionId, atMs });
  },
  edit: async (network, { account }, { id, body, atMs, mentions, preview }) => {
    await network.delivery.settled(id);
    const people = mentionsOf(network, mentions, getMessage(account, id).to);
    network.changes.edit(account, id, body, atMs, { mentions: people, preview });
  },
  revoke: async ({ changes, delivery }, { account }, { id }) => {
    await delivery.settled(id);
    changes.revoke(account, id);
  },
  hide: async ({ changes, delivery }, { account }, { ids }) => {
    await Promise.all(ids.map((id) => delivery.settled(id)));
    changes.hide(account, ids);
  },
  seen: (network, { account, device }, { chat }) => {
    const peer = network.peer(chat, account, 'chat');
    network.delivery.read(account, peer);
    if (marksOf(account, peer).isUnread) mark(account, peer, { isUnread: false }, device);
  },
  'mark-chat': (network, { account, device }, { chat, marks }) =>
    mark(account, network.peer(chat, account, 'chat'), marks, device),
  'clear-chat': (network, { account, device }, { chat, isDeleted }) =>
    clear(account, network.peer(chat, account, 'chat'), isDeleted, device),
} satisfies Partial<Handlers>;

/** The code with which the network refuses a message to a person who has not written to the account. */
function limitOf({ log, limits: { timeLockedUntil, newChats } }: AccountRecord, to: Peer): number | undefined {
  if (to.kind !== 'person' || log.some(({ from }) => from === to)) return undefined;
  if (timeLockedUntil !== null && timeLockedUntil > Date.now()) return 463;
  return newChats && newChats.used >= newChats.total && newChats.until * 1_000 > Date.now() ? 475 : undefined;
}

/** A message of the account; 404 if it has none with that id. */
function getMessage(account: AccountRecord, id: string): Message {
  const message = findMessage(account, id);
  if (message) return message;
  throw new SimulatorError(404, `id: ${account.number} has no message ${id}`);
}

/** Converts a draft of a device to the network's message; throws if it cannot be sent. */
function messageFromDraft(network: Network, account: AccountRecord, draft: WireDraft): Message {
  const to = network.peer(draft.chat, account, 'chat');
  if (to.kind === 'group') requireWriter(to, account);
  if (to.kind === 'newsletter' && to.owner !== account)
    throw new SimulatorError(403, `chat: ${account.number} does not write to that channel`);
  const { id, t, type, body, style, fields, hasSecret } = draft;
  return new Message({
    id,
    from: account,
    to,
    type,
    body,
    timestamp: t,
    style,
    fields,
    hasSecret,
    quoted: quoteOf(network, account, draft),
    attachment: attachmentOf(network, draft),
    mentions: mentionsOf(network, draft.mentions, to),
  });
}

/** The mentioned people; in a group phones find a person only by the id that the group uses for them. */
function mentionsOf({ directory }: Network, mentions: readonly string[] = [], to: Peer): AccountRecord[] {
  return mentions.flatMap((who) => {
    const found = directory.find(who);
    return found && (to.kind !== 'group' || memberIdOf(to, found) === who) ? found : [];
  });
}

function visibleMessages(account: AccountRecord) {
  return account.log.filter((message) => !message.hiddenFrom.has(account) && !account.olderMessages.has(message));
}

function quoteOf(network: Network, account: AccountRecord, { quoted }: WireDraft): Message['quoted'] {
  const author = quoted && network.directory.find(quoted.author);
  const chat = quoted?.chat === undefined ? undefined : network.peer(quoted.chat, account, 'quoted');
  return quoted && author ? { ...quoted, author, chat } : undefined;
}

/** The page's description of its file, with the size and the hash of what the media server received. */
function attachmentOf({ mediaStore }: Network, { media }: WireDraft): Attachment | undefined {
  if (!media) return undefined;
  const file = mediaStore.find(media.directPath);
  if (!file) throw new SimulatorError(404, `media: nothing was uploaded to ${media.directPath}`);
  return { ...media, size: file.size, sha256: file.sha256 };
}
