import { type CachedClient, type CloudHandlers, type GatewayAddress, type ListenedEvent, listen } from '@chat-web/host';
import type { Live } from './live.ts';
import type { Store } from './store.ts';

/** The state that all parts share. */
export interface Inbox {
  readonly session: string;
  readonly client: CachedClient;
  readonly store: Store;
  readonly live: Live;
}

/**
 * Follows the session's events from the stored position. An event is handled once the store has it on disk: if the
 * application crashes before, it is delivered again. `done` rejects if another attempt would not help, for example for
 * a wrong token.
 */
export function follow(address: GatewayAddress, { session, client, store, live }: Inbox) {
  /** A QR was shown: the next `ready` is a new link. */
  let isLinking = false;

  async function take(event: ListenedEvent): Promise<void> {
    switch (event.name) {
      case 'message': {
        const { data } = event;
        if (!data.isStatus) await store.add({ ...data, chat: data.fromMe ? data.to : data.from });
        break;
      }
      case 'message_ack':
        await store.acknowledge(event.data.id, event.data.ack);
        break;
      case 'qr':
        isLinking = true;
        break;
      case 'ready':
        if (isLinking || store.linkedAt === undefined) await store.linked(event.at ?? new Date().toISOString());
        isLinking = false;
        break;
      case 'disconnected':
        console.warn(`the account is disconnected: ${event.data.message}`);
        break;
      case 'gap':
        console.warn(`events are missing (${event.data.reason}): look at the phone for messages that are not here`);
    }
    client.cache.onEvent(event);
    live.changed();
  }

  const listener = listen(address, {
    sessions: [session],
    position: store.position,
    from: 'oldest',
    onConnect: () => live.changed(),
    onDisconnect: () => live.changed(),
  });
  return { done: listener.run({ any: take }), stop: () => listener.stop() };
}

/** Adds messages from the provider's cloud to the same inbox. */
export function cloudHandlers({ store, live }: Inbox): CloudHandlers {
  return {
    async message({ message, contact }) {
      const { from, type } = message;
      if (!from || !/^\d{5,15}$/.test(from)) return; // A sender without a number.
      await store.add({
        ...{ id: message.id.toWellFormed(), chat: `${from}@c.us`, type, timestamp: unixSeconds(message.timestamp) },
        ...{ fromMe: false, ack: 1, hasMedia: false, cloud: { name: contact?.profile?.name ?? `+${from}` } },
        body: type === 'text' ? message.text.body : `(${type})`,
      });
      live.changed();
    },
  };
}

/** The provider writes times as text; an invalid one must not break a page. */
function unixSeconds(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : Math.floor(Date.now() / 1_000);
}
