import { MsgKey } from '../msg-key.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireVote } from '../wire.ts';

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
export function learnVotes(votes: readonly WireVote[] = [], poll: MsgKey, other: MsgKey): void {
  const parentOf = ({ byOtherId }: WireVote) => (byOtherId ? other : poll);
  const rows = votes
    .filter((vote) => byPoll.get(String(parentOf(vote)))?.get(vote.from)?.senderTimestampMs !== vote.atMs)
    .map((vote) => rowOf(parentOf(vote), vote));
  if (rows.length > 0) void pollVoteTableMode.bulkUpsert(rows);
}

function rowOf(poll: MsgKey, { id, from, fromMe, options, atMs }: WireVote): VoteRow {
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
