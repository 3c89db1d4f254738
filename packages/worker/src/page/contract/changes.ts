import type { PageCall, PageEdit, PageReaction, PageRecord, PageVote } from '../models.ts';
import { type Contract, fn, object, unchecked } from './part.ts';

/** A table of reactions or votes. */
export interface StoredTable<R> {
  bulkUpsert(rows: readonly R[], ...more: unknown[]): unknown;
  updateAck?(row: R, ack: number, ...more: unknown[]): unknown;
  bulkGetByParentMsgKey?(keys: readonly object[]): Promise<readonly R[]>;
}

/** Modules for changes of messages, and for calls. */
export interface ChangeModules {
  WAWebAddonReactionTableMode: {
    /** The table of reactions. */
    reactionTableMode: StoredTable<PageReaction>;
  };
  WAWebAddonPollVoteTableMode: {
    /** The table of votes. */
    pollVoteTableMode: StoredTable<PageVote>;
  };
  WAWebUpdateEditedMessagesAction: {
    /** Shows edits that are in the database. Wrapped. */
    updateEditedMessagesAction?(edits: readonly PageEdit[], ...more: unknown[]): unknown;
  };
  WAWebSendMsgRecordAction: {
    /** Send an edit or a deletion, and a reaction or a pin, as in `addAndSendMsgToChat`. Wrapped. */
    sendMsgRecord(record: PageRecord): Promise<unknown>;
    sendAddonRecord(record: PageRecord): Promise<unknown>;
  };
  WAWebCallCollection: {
    /** Events: `add`, `change:activeCall`. */
    on(event: string, listener: (call: PageCall | null | undefined) => void): void;
    /** The ringing or accepted call in the page; null without one. */
    activeCall?: PageCall | null;
    /** Used in a page without a call engine. */
    get?(id: string): PageCall | undefined;
    /** Used in a page without a call engine. Wrapped. */
    processIncomingCall?(...incoming: unknown[]): PageCall | null | undefined;
  };
  WAWebVoipStackInterface: {
    /** Resolves with null without a call engine. */
    getVoipStackInterface?(): Promise<{ rejectCall?(): Promise<unknown> } | null | undefined>;
  };
}

/** Their parts. */
export const changeParts: Contract<ChangeModules> = {
  WAWebAddonReactionTableMode: {
    reactionTableMode: object('message_reaction'),
    // ([{reactionParentKey, reactionText, reactionTimestamp, author | from}]) → stores reactions; wrapped
    'reactionTableMode.bulkUpsert': fn('message_reaction'),
    // (row, ack) → the network has a row created in this page, stored with ack 0; -1 if it failed; wrapped
    'reactionTableMode.updateAck': unchecked(),
    // ([key]) → Promise of the reactions, including removed ones
    'reactionTableMode.bulkGetByParentMsgKey': unchecked(),
  },
  WAWebAddonPollVoteTableMode: {
    pollVoteTableMode: object('poll_vote'),
    // ([{pollUpdateParentKey, selectedOptionLocalIds, senderTimestampMs, author | from}]) → stores votes; wrapped
    'pollVoteTableMode.bulkUpsert': fn('poll_vote'),
    // the same for votes
    'pollVoteTableMode.updateAck': unchecked(),
    // ([key]) → Promise of the votes, one per person and poll
    'pollVoteTableMode.bulkGetByParentMsgKey': fn('listPollVotes'),
  },
  WAWebUpdateEditedMessagesAction: { updateEditedMessagesAction: unchecked() },
  WAWebSendMsgRecordAction: {
    sendMsgRecord: unchecked(),
    sendAddonRecord: unchecked(),
  },
  WAWebCallCollection: {
    // Without the collection, ringing calls are unknown.
    on: fn('call', 'rejectCall'),
    activeCall: unchecked(),
    get: unchecked(),
    processIncomingCall: unchecked(),
  },
  // Only for accounts that can take calls in the page; without it, the operation reports that.
  WAWebVoipStackInterface: { getVoipStackInterface: unchecked() },
};
