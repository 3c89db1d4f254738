import type { PageCall, PageEdit, PageReaction, PageVote } from '../window.ts';
import { type Contract, fn, object, unchecked } from './part.ts';

/** A table of what people attach to messages. */
export interface StoredTable<R> {
  bulkUpsert(rows: readonly R[], ...more: unknown[]): unknown;
  updateAck?(row: R, ack: number, ...more: unknown[]): unknown;
  bulkGetByParentMsgKey?(keys: readonly object[]): Promise<readonly R[]>;
}

/** Modules for what becomes of messages. */
export interface ChangeModules {
  WAWebAddonReactionTableMode: { reactionTableMode: StoredTable<PageReaction> };
  WAWebAddonPollVoteTableMode: { pollVoteTableMode: StoredTable<PageVote> };
  WAWebUpdateEditedMessagesAction: {
    updateEditedMessagesAction?(edits: readonly PageEdit[], ...more: unknown[]): unknown;
  };
  WAWebCallCollection: {
    on(event: string, listener: (call: PageCall | null | undefined) => void): void;
    activeCall?: PageCall | null;
    get?(id: string): PageCall | undefined;
    processIncomingCall?(...incoming: unknown[]): PageCall | null | undefined;
  };
  WAWebVoipStackInterface: {
    getVoipStackInterface?(): Promise<{ rejectCall?(): Promise<unknown> } | null | undefined>;
  };
}

/** Their parts. */
export const changeParts: Contract<ChangeModules> = {
  WAWebAddonReactionTableMode: {
    reactionTableMode: object('the table of reactions', 'message_reaction'),
    'reactionTableMode.bulkUpsert': fn(
      '([{reactionParentKey, reactionText, reactionTimestamp, author | from}]) → stores reactions; wrapped',
      'message_reaction',
    ),
    'reactionTableMode.updateAck': unchecked(
      '(row, ack) → the network has one that was made here, or -1; it was stored with ack 0; wrapped',
    ),
    'reactionTableMode.bulkGetByParentMsgKey': unchecked('([key]) → Promise of the same, taken-back ones too'),
  },
  WAWebAddonPollVoteTableMode: {
    pollVoteTableMode: object('the table of votes', 'poll_vote'),
    'pollVoteTableMode.bulkUpsert': fn(
      '([{pollUpdateParentKey, selectedOptionLocalIds, senderTimestampMs, author | from}]) → stores votes; wrapped',
      'poll_vote',
    ),
    'pollVoteTableMode.updateAck': unchecked('the same'),
    'pollVoteTableMode.bulkGetByParentMsgKey': fn(
      '([key]) → Promise of the same, one for each person and poll',
      'listPollVotes',
    ),
  },
  WAWebUpdateEditedMessagesAction: {
    updateEditedMessagesAction: unchecked(
      '([{parentMsg, editedMsgData, isLatest}]) → Promise; shows edits that the database has taken; wrapped',
    ),
  },
  WAWebCallCollection: {
    // Without the collection, nobody knows of a call that rings.
    on: fn(
      '(add | change:activeCall, listener({id, peerJid, isVideo, isGroup, outgoing, getState()}))',
      ...(['call', 'rejectCall'] as const),
    ),
    activeCall: unchecked('the call that rings, or is taken, in the page; null without one'),
    get: unchecked('(id) → a call of a page without a call engine'),
    processIncomingCall: unchecked('(what comes in) → the call, in a page without a call engine; wrapped'),
  },
  // Only for accounts that can take calls in the page; without it, the operation says so.
  WAWebVoipStackInterface: {
    getVoipStackInterface: unchecked('() → Promise<{rejectCall()}>; null without a call engine'),
  },
};
