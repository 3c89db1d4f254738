import type { PageCall, PageEdit, PageReaction, PageVote } from '../window.ts';
import { type Contract, fn, object, unchecked } from './part.ts';

/** A table of reactions or votes. */
export interface StoredTable<R> {
  bulkUpsert(rows: readonly R[], ...more: unknown[]): unknown;
  updateAck?(row: R, ack: number, ...more: unknown[]): unknown;
  bulkGetByParentMsgKey?(keys: readonly object[]): Promise<readonly R[]>;
}

/** Modules for changes of messages, and for calls. */
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
      '(row, ack) → the network has a row created in this page, stored with ack 0; -1 if it failed; wrapped',
    ),
    'reactionTableMode.bulkGetByParentMsgKey': unchecked('([key]) → Promise of the reactions, including removed ones'),
  },
  WAWebAddonPollVoteTableMode: {
    pollVoteTableMode: object('the table of votes', 'poll_vote'),
    'pollVoteTableMode.bulkUpsert': fn(
      '([{pollUpdateParentKey, selectedOptionLocalIds, senderTimestampMs, author | from}]) → stores votes; wrapped',
      'poll_vote',
    ),
    'pollVoteTableMode.updateAck': unchecked('the same for votes'),
    'pollVoteTableMode.bulkGetByParentMsgKey': fn(
      '([key]) → Promise of the votes, one per person and poll',
      'listPollVotes',
    ),
  },
  WAWebUpdateEditedMessagesAction: {
    updateEditedMessagesAction: unchecked(
      '([{parentMsg, editedMsgData, isLatest}]) → Promise; shows edits that are in the database; wrapped',
    ),
  },
  WAWebCallCollection: {
    // Without the collection, ringing calls are unknown.
    on: fn(
      '(add | change:activeCall, listener({id, peerJid, isVideo, isGroup, outgoing, getState()}))',
      ...(['call', 'rejectCall'] as const),
    ),
    activeCall: unchecked('the ringing or accepted call in the page; null without one'),
    get: unchecked('(id) → a call, in a page without a call engine'),
    processIncomingCall: unchecked('(incoming data) → the call, in a page without a call engine; wrapped'),
  },
  // Only for accounts that can take calls in the page; without it, the operation reports that.
  WAWebVoipStackInterface: {
    getVoipStackInterface: unchecked('() → Promise<{rejectCall()}>; null without a call engine'),
  },
};
