import { type Disconnect, type ListenedEvent, type ListenOptions, listen } from '@chat-web/host';
import { GatewayError, type SessionEvent } from '@chat-web/protocol';
import { eventually } from '@chat-web/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeGateway, serve, TOKEN } from '../testing/fake-gateway.ts';

let gateway: Awaited<ReturnType<typeof fakeGateway>>;
let server: Awaited<ReturnType<typeof serve>>;
let stops: (() => Promise<void>)[];
beforeEach(async () => {
  gateway = await fakeGateway({
    settings: { CHAT_WEB_TOKEN: TOKEN },
    sessions: {
      find: (id) => {
        if (id !== 'main') throw new GatewayError('session_not_found', `there is no session ${id}`);
        return { shown: { name: 'qr', data: PNG } };
      },
    },
  });
  server = await serve(gateway.app);
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await server.close();
  await gateway[Symbol.asyncDispose]();
});

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const ack = (session: string, n: number) => {
  const event: SessionEvent = { name: 'message_ack', data: { id: `true_1@c.us_${n}`, ack: 2 } };
  gateway.events.publish(session, event);
};
const left = (session: string) =>
  gateway.events.publish(session, { name: 'disconnected', data: { reason: 'LOGOUT', message: '' } });
const described = ({ session, name, data }: ListenedEvent) =>
  name === 'message_ack' ? `${session} ${data.id.split('_')[2]}` : `${session} ${name}`;

function follow(options: ListenOptions = {}, token = TOKEN) {
  const seen: string[] = [];
  const disconnects: Disconnect[] = [];
  let connects = 0;
  const listener = listen(
    { url: server.url, token },
    {
      onConnect: () => {
        connects += 1;
      },
      onDisconnect: (one) => disconnects.push(one),
      ...options,
    },
  );
  const running = listener.run({ any: (event) => seen.push(described(event)) });
  running.catch(() => {});
  stops.push(() => listener.stop());
  return { seen, disconnects, running, listener, connected: () => eventually(() => expect(connects).toBe(1)) };
}

const keyFor = (scope: 'read' | 'manage', sessions = ['main']) =>
  gateway.keys.create({ name: 'shop', sessions, scope });

describe('a listener on the routes of the gateway', () => {
  it('receives what its key may see, and ends with the key', async () => {
    const { id, key } = await keyFor('read', ['shop-*']);
    const mine = follow({}, key);
    const all = follow();
    await Promise.all([mine.connected(), all.connected()]);
    for (const session of ['main', 'shop-1', 'shop-2']) ack(session, 1);
    gateway.events.publish('shop-1', { name: 'qr', data: PNG });
    await eventually(() => expect(all.seen).toEqual(['main 1', 'shop-1 1', 'shop-2 1', 'shop-1 qr']));
    expect(mine.seen).toEqual(['shop-1 1', 'shop-2 1']);
    await gateway.keys.remove(id);
    await expect(mine.running).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('receives the QR of one session, and ends with session_not_found for an unknown session', async () => {
    const one = follow({ sessions: 'main' });
    await one.connected();
    await eventually(() => expect(one.seen).toEqual(['main qr']));
    left('main');
    gateway.events.publish('main', { name: 'qr', data: PNG });
    await eventually(() => expect(one.seen).toEqual(['main qr', 'main disconnected', 'main qr']));
    await expect(follow({ sessions: 'other' }).running).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it.each([0, 1])('misses nothing published while disconnected, before its first event (%i before)', async (before) => {
    for (let n = 0; n < before; n += 1) ack('main', n);
    await eventually(() => expect(gateway.journal.lastSeq > 0).toBe(before > 0));
    const { seen, disconnects, connected, listener } = follow({ events: ['message_ack'] });
    await connected();
    await eventually(() => expect(listener.position).toBeDefined());
    gateway.events.streams.endAll('over');
    for (const n of [2, 3, 4]) ack('main', n);
    await eventually(() => expect(seen).toEqual(['main 2', 'main 3', 'main 4']));
    expect(disconnects).toMatchObject([{ error: undefined, failures: 0 }]);
  });

  it('receives a long history in order, then new events, over many disconnects', async () => {
    for (let n = 0; n < 5_000; n += 1) ack(n % 2 ? 'main' : 'shop', n);
    const { seen, disconnects } = follow({ from: 'oldest' });
    for (let n = 5_000; n < 5_020; n += 1) {
      ack(n % 2 ? 'main' : 'shop', n);
      await eventually(() => expect(seen.length).toBe(n + 1));
      gateway.events.streams.endAll('over');
    }
    for (const session of ['main', 'shop']) {
      const numbers = seen.filter((text) => text.startsWith(session)).map((text) => Number(text.split(' ')[1]));
      expect(numbers).toEqual(Array.from({ length: 2_510 }, (_, n) => 2 * n + (session === 'main' ? 1 : 0)));
    }
    expect(disconnects.length).toBeGreaterThan(10);
  });

  it('receives a gap for an unknown position, then the stored events', async () => {
    ack('main', 1);
    const { seen } = follow({ from: '0123456789ab-7' });
    await eventually(() => expect(seen).toEqual(['undefined gap', 'main 1']));
  });

  it('ends where the gateway refuses the request', async () => {
    await expect(follow({ sessions: ['no/session'] }).running).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(follow({}, 'wrong').running).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
