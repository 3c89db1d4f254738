import type { PageId, PageMessage } from '../models.ts';
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
    /** Oldest first. 404 for an unknown anchor. */
    msgFindByDirection(what: {
      anchor: PageMessage['id'] | { remote: unknown };
      count: number;
      direction: 'before' | 'after';
    }): Promise<{ messages?: readonly (PageMessage | undefined)[]; status?: number }>;
    /** From the local index, oldest first. 404 if there is none; loads nothing. */
    msgFindSearch(what: { searchTerm: string; page: number; count: number; remote: PageId | undefined }): Promise<{
      messages?: readonly (PageMessage | undefined)[];
      eof?: boolean;
      canceled?: boolean;
      status?: number;
    }>;
  };
  WAWebSendNonMessageDataRequest: {
    /** Requests older messages from the phone, or silently does not. */
    sendPeerDataOperationRequest(type: 3, what: { chatId: PageId }): Promise<unknown>;
  };
  WAWebHistorySyncOnDemandEvents: {
    /** Events: `history_sync_on_demand_events:success_history_sync_od` and `…:error_history_sync_od`, with the chat's id. */
    WAWebHistorySyncOnDemandEvents: Record<'on' | 'off', (event: string, listener: (jid: unknown) => void) => void>;
  };
  WAWebNonMessageDataRequestHistorySyncOnDemandUtils: {
    /** The chat's id, by request. */
    inFlightHistorySyncOnDemandRequests: ReadonlyMap<string, string>;
  };
  WAWebDBGetReactions: {
    /** By the serialised id. Timestamps are in milliseconds. */
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
    /** In groups, each person is only in the highest list. */
    queryMsgInfo(key: PageMessage['id']): Promise<{
      delivery?: readonly PageReceipt[];
      read?: readonly PageReceipt[];
      played?: readonly PageReceipt[];
      deliveryRemaining?: number;
      playedRemaining?: number;
    }>;
  };
  WAWebPinInChatCollection: {
    /** Pins by the key of the message. In chats that were not opened, only pins since the start. */
    PinInChatCollection: { getByParentMsgKey?(key: PageMessage['id']): PagePin | null | undefined };
  };
  WAWebSendPinMessageAction: {
    /** Throws unless the network accepts it. */
    sendPinInChatMsg(message: PageMessage, type: 1 | 2, duration: string): Promise<unknown>;
  };
}

/** Their parts. */
export const messageQueryParts: Contract<MessageQueryModules> = {
  WAWebDBMessageFindLocal: {
    msgFindByDirection: fn('listMessages'),
    msgFindSearch: either(fn('searchMessages'), 'WAWebCollections.Msg.search'),
  },
  WAWebSendNonMessageDataRequest: { sendPeerDataOperationRequest: fn('loadOlderMessages') },
  WAWebHistorySyncOnDemandEvents: { WAWebHistorySyncOnDemandEvents: object('loadOlderMessages') },
  WAWebNonMessageDataRequestHistorySyncOnDemandUtils: { inFlightHistorySyncOnDemandRequests: unchecked() },
  WAWebDBGetReactions: { getReactions: fn('listReactions') },
  WAWebApiMessageInfoStore: { queryMsgInfo: fn('listReceipts') },
  WAWebPinInChatCollection: { PinInChatCollection: unchecked() },
  WAWebSendPinMessageAction: { sendPinInChatMsg: fn('pinMessage') },
};
