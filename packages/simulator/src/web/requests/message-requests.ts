import { isAdmin, memberIdOf, requireWriter } from '../../network/group.ts';
import { createMessage, findMessage, partyOf } from '../../network/message.ts';
import { deviceView, receiptViews } from '../../network/message-views.ts';
import type { Network } from '../../network/network.ts';
import { askForOld } from '../../network/old-messages.ts';
import type { AccountRecord, Attachment, Message, Party } from '../../network/records.ts';
import { NetworkRefusal } from '../../network/refusal.ts';
import type { WireDraft } from '../../page/wire.ts';
import { SimulatorError } from '../../simulator-error.ts';
import type { Handlers } from './handler.ts';

type Names =
  | ('send' | 'preview' | 'history' | 'message' | 'react' | 'edit' | 'revoke' | 'hide')
  | ('receipts' | 'star' | 'pin' | 'older');

/** Requests of a device about messages. */
export const messageRequests: Handlers<Names> = {
  send: async (network, { account, device }, draft) => {
    // Neither acknowledged nor refused.
    if (account.restricted) return new Promise(() => undefined);
    const { refusal } = account;
    if (refusal.kind === 'network') throw new NetworkRefusal(refusal.code ?? 500, 'the network does not take it');
    if (refusal.kind === 'nack') return { nack: refusal.code ?? 463 };
    try {
      const message = read(network, account, draft);
      network.chatStates.end(account, message.to);
      return { t: (await network.postOffice.submit(message, device)).timestamp };
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
    const party = network.party(chat, account, 'chat');
    const log = visible(account).filter((message) => partyOf(message, account) === party);
    const views = (from: number, to: number) => log.slice(Math.max(0, from), to).map((one) => deviceView(one, account));
    const anchor = before ?? after;
    if (anchor === undefined) return views(log.length - limit, log.length);
    const at = log.findIndex(({ id, revocation }) => anchor === (revocation?.id ?? id));
    if (at < 0) return null;
    return after === undefined ? views(at - limit, at) : views(at + 1, at + 1 + limit);
  },
  older: (network, { account, device }, { chat }) => {
    askForOld(account, network.party(chat, account, 'chat'), device.line);
    return null;
  },
  receipts: (_network, { account }, { id }) => {
    const message = getMessage(account, id);
    return message.from === account ? receiptViews(message) : [];
  },
  star: (_network, { account }, { ids, isStarred }) => {
    for (const id of ids) getMessage(account, id).starredBy[isStarred ? 'add' : 'delete'](account);
    return null;
  },
  pin: (_network, { account }, { id, seconds }) => {
    const message = getMessage(account, id);
    const { to } = message;
    if (to.kind === 'group' && to.restrict && !isAdmin(to, account))
      throw new SimulatorError(403, `id: ${account.number} is no admin of the group`);
    message.pinnedUntilMs = seconds > 0 ? Date.now() + seconds * 1_000 : undefined;
    return null;
  },
  message: (_network, { account }, { id }) => {
    const known = findMessage(account, id);
    return known && !account.onlyOnPhone.has(known) ? deviceView(known, account) : null;
  },
  react: async ({ changes, postOffice }, { account }, { id, emoji, reactionId, atMs }) => {
    await postOffice.settled(id);
    changes.react(account, id, emoji, { id: reactionId, atMs });
    return null;
  },
  edit: async (network, { account }, { id, body, atMs, mentions, preview }) => {
    await network.postOffice.settled(id);
    const people = mentionsOf(network, mentions, getMessage(account, id).to);
    network.changes.edit(account, id, body, atMs, { mentions: people, preview });
    return null;
  },
  revoke: async ({ changes, postOffice }, { account }, { id }) => {
    await postOffice.settled(id);
    changes.revoke(account, id);
    return null;
  },
  hide: async ({ changes, postOffice }, { account }, { ids }) => {
    await Promise.all(ids.map((id) => postOffice.settled(id)));
    changes.hide(account, ids);
    return null;
  },
};

/** A message of the account; 404 if it has none with that id. */
function getMessage(account: AccountRecord, id: string): Message {
  const message = findMessage(account, id);
  if (message) return message;
  throw new SimulatorError(404, `id: ${account.number} has no message ${id}`);
}

/** Converts a draft of a device to the network's message; throws if it cannot be sent. */
function read(network: Network, account: AccountRecord, draft: WireDraft): Message {
  const to = network.party(draft.chat, account, 'chat');
  if (to.kind === 'group') requireWriter(to, account);
  if (to.kind === 'newsletter' && to.owner !== account)
    throw new SimulatorError(403, `chat: ${account.number} does not write to that channel`);
  const { id, t, type, body, style, fields, hasSecret } = draft;
  return createMessage({
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
function mentionsOf({ directory }: Network, mentions: readonly string[] = [], to: Party): AccountRecord[] {
  return mentions.flatMap((who) => {
    const found = directory.find(who);
    return found && (to.kind !== 'group' || memberIdOf(to, found) === who) ? found : [];
  });
}

function visible(account: AccountRecord) {
  return account.log.filter((message) => !message.hiddenFrom.has(account) && !account.onlyOnPhone.has(message));
}

function quoteOf(network: Network, account: AccountRecord, { quoted }: WireDraft): Message['quoted'] {
  const author = quoted && network.directory.find(quoted.author);
  const chat = quoted?.chat === undefined ? undefined : network.party(quoted.chat, account, 'quoted');
  return quoted && author ? { id: quoted.id, body: quoted.body, author, chat } : undefined;
}

/** The page's description of its file, with the size and the hash of what the media server received. */
function attachmentOf({ mediaStore }: Network, { media }: WireDraft): Attachment | undefined {
  if (!media) return undefined;
  const file = mediaStore.find(media.directPath);
  if (!file) throw new SimulatorError(404, `media: nothing was uploaded to ${media.directPath}`);
  return { ...media, size: file.size, sha256: file.sha256 };
}
