import type { PageId, PageMessage } from '../window.ts';
import { type Contract, either, fn, object, unchecked } from './part.ts';

/** Who did something with a message, and when, in Unix seconds. */
interface PageReceipt {
  readonly id: PageId;
  readonly t?: number;
}

/** The latest pin or unpin of a message. */
interface PagePin {
  /** 1: pinned, 2: unpinned. */
  readonly pinType?: number;
  /** Seconds. */
  readonly pinExpiryDuration?: number;
  readonly senderTimestampMs?: number;
  /** On one created in this page: an ack as on a message. */
  readonly ack?: number;
}

/** Modules that read messages from the page's database, and mark them. */
export interface MessageQueryModules {
  WAWebDBMessageFindLocal: {
    msgFindByDirection(what: {
      anchor: PageMessage['id'] | { remote: unknown };
      count: number;
      direction: 'before' | 'after';
    }): Promise<{ messages?: readonly (PageMessage | undefined)[]; status?: number }>;
    msgFindSearch(what: { searchTerm: string; page: number; count: number; remote: PageId | undefined }): Promise<{
      messages?: readonly (PageMessage | undefined)[];
      eof?: boolean;
      canceled?: boolean;
      status?: number;
    }>;
  };
  WAWebSendNonMessageDataRequest: {
    sendPeerDataOperationRequest(type: 3, what: { chatId: PageId }): Promise<unknown>;
  };
  WAWebHistorySyncOnDemandEvents: {
    WAWebHistorySyncOnDemandEvents: Record<'on' | 'off', (event: string, listener: (jid: unknown) => void) => void>;
  };
  WAWebNonMessageDataRequestHistorySyncOnDemandUtils: {
    inFlightHistorySyncOnDemandRequests: ReadonlyMap<string, string>;
  };
  WAWebDBGetReactions: {
    getReactions(messageId: string): Promise<{
      reactions?: readonly {
        senders?: readonly {
          msgKey?: string;
          senderUserJid?: unknown;
          reactionText?: string;
          timestamp?: number;
          ack?: number;
        }[];
      }[];
    }>;
  };
  WAWebApiMessageInfoStore: {
    queryMsgInfo(key: PageMessage['id']): Promise<{
      delivery?: readonly PageReceipt[];
      read?: readonly PageReceipt[];
      played?: readonly PageReceipt[];
      deliveryRemaining?: number;
      playedRemaining?: number;
    }>;
  };
  WAWebPinInChatCollection: {
    PinInChatCollection: { getByParentMsgKey?(key: PageMessage['id']): PagePin | null | undefined };
  };
  WAWebSendPinMessageAction: {
    sendPinInChatMsg(message: PageMessage, type: 1 | 2, duration: string): Promise<unknown>;
  };
}

/** Their parts. */
export const messageQueryParts: Contract<MessageQueryModules> = {
  WAWebDBMessageFindLocal: {
    msgFindByDirection: fn(
      '({anchor: key | {remote}, count, direction: before | after}) → Promise<{messages, status}>, oldest first; 404 for an unknown anchor',
      'listMessages',
    ),
    msgFindSearch: either(
      fn(
        '({searchTerm, page from 1, count, remote}) → Promise<{messages, eof, canceled, status}> from the local index, oldest first; 404 if there is none; loads nothing',
        'searchMessages',
      ),
      'WAWebCollections.Msg.search',
    ),
  },
  WAWebSendNonMessageDataRequest: {
    sendPeerDataOperationRequest: fn(
      '(3, {chatId}) → Promise; requests older messages from the phone, or silently does not',
      'loadOlderMessages',
    ),
  },
  WAWebHistorySyncOnDemandEvents: {
    WAWebHistorySyncOnDemandEvents: object(
      'on, off(history_sync_on_demand_events:success_history_sync_od | …:error_history_sync_od, listener(jid of the chat))',
      'loadOlderMessages',
    ),
  },
  WAWebNonMessageDataRequestHistorySyncOnDemandUtils: {
    inFlightHistorySyncOnDemandRequests: unchecked('Map of request → jid of its chat'),
  },
  WAWebDBGetReactions: {
    getReactions: fn(
      '(serialised id) → Promise<{reactions: [{senders: [{msgKey, senderUserJid, reactionText, timestamp in ms, ack}]}]}>',
      'listReactions',
    ),
  },
  WAWebApiMessageInfoStore: {
    queryMsgInfo: fn(
      '(key) → Promise<{delivery, read, played: [{id, t}], deliveryRemaining, playedRemaining}>; in groups each person is only in the highest list',
      'listReceipts',
    ),
  },
  WAWebPinInChatCollection: {
    PinInChatCollection: unchecked(
      'getByParentMsgKey(key of a message) → its pin; in chats that were not opened, only pins since the start',
    ),
  },
  WAWebSendPinMessageAction: {
    sendPinInChatMsg: fn(
      '(message, 1 to pin | 2, OneDay | SevenDays | ThirtyDays) → Promise; throws unless the network accepts it',
      'pinMessage',
    ),
  },
};
