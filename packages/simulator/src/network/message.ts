import { createHash, randomBytes } from 'node:crypto';
import type { WireMedia } from '../page/wire.ts';
import type { StoredFile } from './media-store.ts';
import type { AccountRecord, Attachment, Message, Peer, StatusFeed } from './records.ts';

/** Shared by all: each account sees the statuses that were posted for it. */
export const statusFeed: StatusFeed = { kind: 'status', id: 'status@broadcast' };

/** The id of a peer as phones see it: people by their number. */
export function peerIdForPhones(peer: Peer): string {
  return peer.kind === 'person' ? peer.pn : peer.id;
}

/** A stanza id in the format of the phone that creates it. */
export function createMessageId({ platform }: AccountRecord): string {
  const [prefix, bytes] = platform === 'iphone' ? ['3A', 9] : ['AC', 15];
  return `${prefix}${randomBytes(bytes).toString('hex')}`.toUpperCase();
}

/** The stanza id in a page's message id, which may contain the separator; a stanza id is returned unchanged. */
function stanzaIdOf(messageId: string): string {
  return /^(?:true|false)_[^_]+_(.+?)(?:_(?:in|out|[^_@]+@[a-z.]+))?$/.exec(messageId)?.[1] ?? messageId;
}

/** Where the account has a message: the other person, the group, or the feed. */
export function peerOf({ from, to }: Message, account: AccountRecord): Peer {
  return to.kind === 'person' && from !== account ? from : to;
}

/** The message of that stanza id, or that page's message id, unless the account has deleted it. */
export function findMessage(account: AccountRecord, messageId: string): Message | undefined {
  const id = stanzaIdOf(messageId);
  const found = account.log.find((message) => message.id === id || message.revocation?.id === id);
  return found?.hiddenFrom.has(account) ? undefined : found;
}

/** What a phone sends about a file that it has uploaded to the media server. */
export function attach(file: StoredFile, details: Pick<WireMedia, 'mimetype' | 'filename'>): Attachment {
  const { path, size, sha256 } = file;
  const mediaKey = randomBytes(32).toString('base64');
  const encFilehash = createHash('sha256').update(mediaKey).update(sha256).digest('base64');
  return {
    ...details,
    directPath: path,
    size,
    sha256,
    filehash: Buffer.from(sha256, 'hex').toString('base64'),
    mediaKey,
    mediaKeyTimestamp: Math.floor(Date.now() / 1000),
    encFilehash,
  };
}
