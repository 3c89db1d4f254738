import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { loadOlderMessages } from './message-queries.ts';

const id = (text: string) => ({ toString: () => text });

/** A page with a chat in the transfer state `left`; the phone answers with the chat's id `jid`. */
function page(left: number, jid = '7@lid'): void {
  const events = new EventEmitter();
  const chat = { id: id('7@lid'), endOfHistoryTransferType: left };
  const modules = {
    WAWebCollections: { Chat: { get: () => chat } },
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
  stubPage(modules, { people: [{ number: '49@c.us', lid: '7@lid' }] });
}

it.each(['49@s.whatsapp.net', '7@lid'])('the phone may answer for a chat with a hidden id as %s', async (jid) => {
  page(0, jid);
  expect(await loadOlderMessages('49@c.us', 100)).toEqual({ id: '49@c.us', loaded: true, isOlderOnPhone: true });
});

it('requests a chat that was not in the history, but not while the phone still sends it', async () => {
  page(3);
  expect(await loadOlderMessages('49@c.us', 100)).toMatchObject({ loaded: true });
  page(2);
  await expect(loadOlderMessages('49@c.us', 100)).rejects.toThrow('has not yet sent all');
  page(1);
  expect(await loadOlderMessages('49@c.us', 100)).toMatchObject({ loaded: false, isOlderOnPhone: false });
});
