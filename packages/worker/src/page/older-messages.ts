import { delay } from './delay.ts';
import { Refusal } from './refusal.ts';
import { isOlderOnPhone, ownChat } from './tools/chats.ts';
import { idsOf, optional, phoneOr } from './tools/identities.ts';

/** The outcome of a request for older messages. */
export interface OlderMessages {
  readonly id: string;
  /** False: the phone has none. */
  readonly loaded: boolean;
  readonly isOlderOnPhone: boolean | undefined;
}

/** Requests older messages of a chat from the phone. They are stored in the page's database, and not loaded. */
export async function loadOlderMessages(chatId: string, timeoutMs: number): Promise<OlderMessages> {
  const chat = ownChat(chatId);
  const syncing = 2;
  const phoneOnly = 4;
  const notShared = 5;
  const left = () => chat.endOfHistoryTransferType;
  const result = (loaded: boolean) => ({
    id: phoneOr(chat.id) ?? chatId,
    loaded,
    isOlderOnPhone: isOlderOnPhone(chat),
  });
  if (left() === phoneOnly)
    throw new Refusal(
      'not_permitted',
      'the phone has older messages, but does not send more of them to linked devices',
    );
  if (left() === syncing)
    throw new Refusal(
      'client_failed',
      'the phone has not yet sent all messages of this chat, and may have older ones: retry later',
    );
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
    if (outcome === undefined && asked && ![...asked.values()].some(isOwn))
      throw new Refusal(
        'client_failed',
        'the page has paused its requests to the phone, as it does after several unanswered ones; retry later',
      );
    await Promise.race([settled, late]);
  } finally {
    events.off(success, onSuccess);
    events.off(failure, onFailure);
  }
  if (outcome !== true) throw new Refusal('client_failed', 'the phone did not answer; open WhatsApp on it, then retry');
  if (left() !== notShared) return result(true);
  throw new Refusal(
    'not_permitted',
    'the phone does not share older messages: on it, under Linked devices, turn on "All chat history" for this device',
  );
}
