import { MsgKey } from '../msg-key.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireReaction, WireVote } from '../wire.ts';
import { messages } from './message.ts';

/** A reaction as the page's tables have it. */
export interface ReactionRow {
  readonly id: MsgKey;
  readonly reactionParentKey: MsgKey;
  /** Empty if it was removed. */
  readonly reactionText: string;
  /** Milliseconds. */
  readonly reactionTimestamp: number;
  readonly from: Wid;
  readonly author: Wid;
  /** 1 if the page does not hold the message. */
  readonly orphan: 0 | 1;
  readonly read: boolean;
  readonly ack: number;
}

const byMessage = new Map<string, Map<string, ReactionRow>>();

/** The table of reactions, removed ones included; scripts wrap `bulkUpsert` to get them. */
export const reactionTableMode = {
  bulkGetByParentMsgKey: async (keys: readonly object[]): Promise<ReactionRow[]> =>
    keys.flatMap((key) => [...(byMessage.get(String(key))?.values() ?? [])]),
  bulkUpsert: (rows: readonly ReactionRow[]): void => {
    for (const row of rows) {
      const key = row.reactionParentKey.toString();
      const rowsOfMessage = byMessage.get(key) ?? new Map<string, ReactionRow>();
      rowsOfMessage.set(row.author.toString(), row);
      byMessage.set(key, rowsOfMessage);
      const isThere = [...rowsOfMessage.values()].some(({ reactionText }) => reactionText !== '');
      messages.get(key)?.set({ hasReaction: isThere });
    }
  },
  /** The row of a reaction that was made in this page. */
  updateAck: ({ reactionParentKey, author }: ReactionRow, ack: number): void => {
    const rows = byMessage.get(reactionParentKey.toString());
    const row = rows?.get(author.toString());
    if (row) rows?.set(author.toString(), { ...row, ack });
  },
};

/** The time of a new reaction: in whole seconds, and after the previous one. */
export function reactionTimeOf(parent: MsgKey, author: Wid): number {
  const before = byMessage.get(parent.toString())?.get(author.toString())?.reactionTimestamp ?? 0;
  return Math.max(before + 1, Math.floor(Date.now() / 1_000) * 1_000);
}

/** The reactions to the message of that key, by emoji. */
export function reactionsOf(key: string): object {
  const byEmoji = new Map<string, object[]>();
  for (const { id, reactionText, reactionTimestamp, author, ack, read } of byMessage.get(key)?.values() ?? []) {
    const row = { msgKey: String(id), parentMsgKey: key, reactionText, timestamp: reactionTimestamp };
    const senders = byEmoji.get(reactionText) ?? [];
    byEmoji.set(reactionText, [...senders, { ...row, senderUserJid: String(author), ack, read, orphan: 0 }]);
  }
  const reactions = [...byEmoji].map(([aggregateEmoji, senders]) => ({
    aggregateEmoji,
    senders,
    hasReactionByMe: false,
  }));
  return { reactions, reactionByMe: null };
}

/** Updates the table from the network's reactions to a message; history is stored like new ones. */
export function updateReactions(parent: MsgKey, reactions: readonly WireReaction[]): void {
  const known = byMessage.get(parent.toString()) ?? new Map<string, ReactionRow>();
  const now = new Set(reactions.map(({ from }) => from));
  const gone = [...known.values()].filter(({ author, reactionText }) => reactionText !== '' && !now.has(`${author}`));
  const fresh = reactions.filter(({ from, emoji, atMs }) => {
    const row = known.get(from);
    return row?.reactionText !== emoji || row.reactionTimestamp !== atMs;
  });
  const rows = [
    ...fresh.map((reaction) => reactionRowOf(parent, reaction)),
    ...gone.map((row) => ({ ...row, reactionText: '', reactionTimestamp: Date.now() })),
  ];
  if (rows.length > 0) reactionTableMode.bulkUpsert(rows);
}

/** The chat was read: the rows are stored again. */
export function readReactions(chat: Wid): void {
  const all = [...byMessage.values()].flatMap((rows) => [...rows.values()]);
  const unread = all.filter(
    ({ reactionParentKey, read }) => !read && String(reactionParentKey.remote) === String(chat),
  );
  if (unread.length > 0) reactionTableMode.bulkUpsert(unread.map((row) => ({ ...row, read: true })));
}

/** `ack`: 0 for one that is not sent yet. */
export function reactionRowOf(parent: MsgKey, { id, from, fromMe, emoji, atMs }: WireReaction, ack = 1): ReactionRow {
  const author = createWid(from);
  const participant = parent.remote.isUser() ? undefined : author;
  return {
    id: new MsgKey({ fromMe, remote: parent.remote, id, participant }),
    reactionParentKey: parent,
    reactionText: emoji,
    reactionTimestamp: atMs,
    from: author,
    author,
    read: fromMe,
    ack,
    orphan: messages.get(parent) ? 0 : 1,
  };
}

/** A vote as the page's tables have it. */
interface VoteRow {
  readonly kind: 'pollVoteDecrypted';
  readonly id: MsgKey;
  readonly pollUpdateParentKey: MsgKey;
  /** Empty if it was removed. */
  readonly selectedOptionLocalIds: readonly number[];
  readonly senderTimestampMs: number;
  readonly from: Wid;
  readonly author: Wid;
}

const byPoll = new Map<string, Map<string, VoteRow>>();

/** The table of votes, one for each person and poll; scripts wrap `bulkUpsert` to get them. */
export const pollVoteTableMode = {
  bulkGetByParentMsgKey: async (keys: readonly object[]): Promise<VoteRow[]> =>
    keys.flatMap((key) => [...(byPoll.get(String(key))?.values() ?? [])]),
  bulkUpsert: async (rows: readonly VoteRow[]): Promise<void> => {
    for (const row of rows) {
      const key = row.pollUpdateParentKey.toString();
      byPoll.set(key, (byPoll.get(key) ?? new Map<string, VoteRow>()).set(row.author.toString(), row));
    }
  },
};

/**
 * Updates the table from the network's votes in a poll; history is stored like new ones. Each vote has the key of the
 * poll that it refers to: the page's own, or the other one.
 */
export function updateVotes(votes: readonly WireVote[] = [], poll: MsgKey, other: MsgKey): void {
  const parentOf = ({ byOtherId }: WireVote) => (byOtherId ? other : poll);
  const rows = votes
    .filter((vote) => byPoll.get(String(parentOf(vote)))?.get(vote.from)?.senderTimestampMs !== vote.atMs)
    .map((vote) => voteRowOf(parentOf(vote), vote));
  if (rows.length > 0) void pollVoteTableMode.bulkUpsert(rows);
}

function voteRowOf(poll: MsgKey, { id, from, fromMe, options, atMs }: WireVote): VoteRow {
  const author = createWid(from);
  const participant = poll.remote.isUser() ? undefined : author;
  return {
    kind: 'pollVoteDecrypted',
    id: new MsgKey({ fromMe, remote: poll.remote, id, participant }),
    pollUpdateParentKey: poll,
    selectedOptionLocalIds: options,
    senderTimestampMs: atMs,
    from: author,
    author,
  };
}
