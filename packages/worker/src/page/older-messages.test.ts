import { EventEmitter } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { loadOlderMessages } from './older-messages.ts';

const id = (text: string) => ({ toString: () => text });
afterEach(() => vi.unstubAllGlobals());

it.each(['49@s.whatsapp.net', '7@lid'])('the phone may name a chat with a hidden id %s', async (jid) => {
  const events = new EventEmitter();
  const chat = { id: id('7@lid'), endOfHistoryTransferType: 0 };
  const modules: Record<string, unknown> = {
    WAWebHistorySyncOnDemandEvents: { WAWebHistorySyncOnDemandEvents: events },
    WAWebSendNonMessageDataRequest: {
      sendPeerDataOperationRequest: async () => {
        setTimeout(() => events.emit('history_sync_on_demand_events:success_history_sync_od', jid), 10);
      },
    },
    WAWebNonMessageDataRequestHistorySyncOnDemandUtils: {
      inFlightHistorySyncOnDemandRequests: new Map([['request', jid]]),
    },
  };
  const chatWebTools = {
    optional: (name: string) => modules[name],
    findChat: () => chat,
    idsOf: () => ['7@lid', '49@c.us'],
    phoneOr: () => '49@c.us',
    isOlderOnPhone: () => true,
  };
  vi.stubGlobal('window', { chatWebTools, require: (name: string) => modules[name] });
  expect(await loadOlderMessages('49@c.us', 100)).toEqual({ id: '49@c.us', loaded: true, isOlderOnPhone: true });
});
