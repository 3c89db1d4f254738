import { Emitter } from '../emitter.ts';
import { findChat } from '../models/chat.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import type { Wid } from '../wid.ts';

const HISTORY_ON_DEMAND = 3;
/** In the real page, the server sets this timeout. */
const ANSWER_TIMEOUT_MS = 700;
const MAX_FAILURES = 3;

/** Requests messages from the account's phone that it has not sent yet. */
export function historyModules({ connection }: Page): Modules {
  const events = new Emitter();
  /** By the id of the request: the jid of its chat. */
  const inFlight = new Map<string, string>();
  let failures = 0;
  const settle = (jid: string, isAnswered: boolean) => {
    for (const [id, waiting] of inFlight) if (waiting === jid) inFlight.delete(id);
    failures = isAnswered ? 0 : failures + 1;
    events.trigger(`history_sync_on_demand_events:${isAnswered ? 'success' : 'error'}_history_sync_od`, jid);
  };
  connection.handle('older', ({ chat: id, left }) => {
    const chat = findChat(id);
    const jid = chat?.get('id')?.toJid();
    // After the timeout, an answer is dropped.
    if (!chat || jid === undefined || ![...inFlight.values()].includes(jid)) return;
    chat.set({ endOfHistoryTransferType: left });
    settle(jid, true);
  });
  return {
    WAWebSendNonMessageDataRequest: {
      sendPeerDataOperationRequest: async (type: number, { chatId }: { readonly chatId: Wid }) => {
        if (type !== HISTORY_ON_DEMAND) throw new TypeError('not used here');
        const jid = chatId.toJid();
        // Both fail silently.
        if (failures >= MAX_FAILURES || [...inFlight.values()].includes(jid)) return;
        const id = crypto.randomUUID();
        inFlight.set(id, jid);
        setTimeout(() => {
          if (inFlight.has(id)) settle(jid, false);
        }, ANSWER_TIMEOUT_MS);
        await connection.request('older', { chat: String(chatId) });
      },
    },
    WAWebNonMessageDataRequestHistorySyncOnDemandUtils: { inFlightHistorySyncOnDemandRequests: inFlight },
    WAWebHistorySyncOnDemandEvents: { WAWebHistorySyncOnDemandEvents: events },
  };
}
