import type { PageCall, PageReaction } from '../window.ts';
import { type Contract, fn, object, unchecked } from './part.ts';

/** Modules for what becomes of messages. */
export interface ChangeModules {
  WAWebAddonReactionTableMode: {
    reactionTableMode: {
      bulkUpsert(rows: readonly PageReaction[], ...more: unknown[]): unknown;
      bulkGetByParentMsgKey?(keys: readonly object[]): Promise<readonly PageReaction[]>;
    };
  };
  WAWebCallCollection: { on(event: string, listener: (call: PageCall | null | undefined) => void): void };
}

/** Their parts. */
export const changeParts: Contract<ChangeModules> = {
  WAWebAddonReactionTableMode: {
    reactionTableMode: object('the table of reactions', 'message_reaction'),
    'reactionTableMode.bulkUpsert': fn(
      '([{reactionParentKey, reactionText, reactionTimestamp, author | from}]) → stores reactions; wrapped',
      'message_reaction',
    ),
    'reactionTableMode.bulkGetByParentMsgKey': unchecked('([key]) → Promise of the same, taken-back ones too'),
  },
  WAWebCallCollection: {
    on: fn('(add | change:activeCall, listener({id, peerJid, isVideo, isGroup, outgoing, getState()}))', 'call'),
  },
};
