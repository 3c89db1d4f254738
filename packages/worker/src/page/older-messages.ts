import { delay } from './delay.ts';
import { findChat, isOlderOnPhone } from './tools/chats.ts';
import { idsOf, optional, phoneOr } from './tools/identities.ts';

/** The outcome of a request for older messages. */
export interface OlderMessages {
  readonly id: string;
  /** False: the phone has none. */
  readonly loaded: boolean;
  readonly isOlderOnPhone: boolean | undefined;
}

/**
 * Why nothing was loaded: older messages are on the phone only, or may not be shared, the first sync is still running,
 * the page did not send the request, or the phone did not answer.
 */
export type NoOlderMessages = 'no_chat' | 'phone_only' | 'not_shared' | 'syncing' | 'not_asked' | 'no_answer';

/** Requests older messages of a chat from the phone. They are stored in the page's database, and not loaded. */
export async function loadOlderMessages(chatId: string, timeoutMs: number): Promise<OlderMessages | NoOlderMessages> {
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const syncing = 2;
  const phoneOnly = 4;
  const notShared = 5;
  const left = () => chat.endOfHistoryTransferType;
  const result = (loaded: boolean) => ({
    id: phoneOr(chat.id) ?? chatId,
    loaded,
    isOlderOnPhone: isOlderOnPhone(chat),
  });
  if (left() === phoneOnly) return 'phone_only';
  if (left() === syncing) return 'syncing';
  if (isOlderOnPhone(chat) !== true) return result(false);

  const events = window.require('WAWebHistorySyncOnDemandEvents').WAWebHistorySyncOnDemandEvents;
  const named = (end: string) => `history_sync_on_demand_events:${end}_history_sync_od`;
  const [success, failure] = [named('success'), named('error')];
  // The event has the chat's number or hidden id.
  const userOf = (id: unknown) => String(id).split('@', 1)[0];
  const own = new Set([chat.id, chat.accountLid].flatMap((id) => (id ? idsOf(id).map(userOf) : [])));
  const isOwn = (jid: unknown) => own.has(userOf(jid));
  let outcome: boolean | undefined;
  let settle: () => void = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const listen = (isAnswered: boolean) => (jid: unknown) => {
    if (!isOwn(jid)) return;
    outcome = isAnswered;
    settle();
  };
  const [onSuccess, onFailure] = [listen(true), listen(false)];
  const late = delay(timeoutMs);
  events.on(success, onSuccess);
  events.on(failure, onFailure);
  try {
    const { sendPeerDataOperationRequest } = window.require('WAWebSendNonMessageDataRequest');
    await Promise.race([sendPeerDataOperationRequest(3, { chatId: chat.id }), late]);
    // After several unanswered requests, the page silently stops sending them for a while.
    const utils = optional('WAWebNonMessageDataRequestHistorySyncOnDemandUtils');
    const asked = utils?.inFlightHistorySyncOnDemandRequests;
    if (outcome === undefined && asked && ![...asked.values()].some(isOwn)) return 'not_asked';
    await Promise.race([settled, late]);
  } finally {
    events.off(success, onSuccess);
    events.off(failure, onFailure);
  }
  if (outcome !== true) return 'no_answer';
  return left() === notShared ? 'not_shared' : result(true);
}
