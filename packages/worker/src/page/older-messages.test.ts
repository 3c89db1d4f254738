import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { loadOlderMessages } from './older-messages.ts';

const id = (text: string) => ({ toString: () => text });

/** A page with a chat in the transfer state `left`; the phone answers with the chat's id `jid`. */
function page(left: number, jid = '7@lid'): void {
  const events = new EventEmitter();
  const chat = { id: id('7@lid'), endOfHistoryTransferType: left };
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
    isOlderOnPhone: () => [0, 3, 4, 5].includes(left),
  };
  vi.stubGlobal('window', { chatWebTools, require: (name: string) => modules[name] });
}

it.each(['49@s.whatsapp.net', '7@lid'])('the phone may answer for a chat with a hidden id as %s', async (jid) => {
  page(0, jid);
  expect(await loadOlderMessages('49@c.us', 100)).toEqual({ id: '49@c.us', loaded: true, isOlderOnPhone: true });
});

it('requests a chat that was not in the history, but not while the phone still sends it', async () => {
  page(3);
  expect(await loadOlderMessages('49@c.us', 100)).toMatchObject({ loaded: true });
  page(2);
  expect(await loadOlderMessages('49@c.us', 100)).toBe('syncing');
  page(1);
  expect(await loadOlderMessages('49@c.us', 100)).toMatchObject({ loaded: false, isOlderOnPhone: false });
});
