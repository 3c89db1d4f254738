import { deferred } from '@chat-web/protocol';
import { eventually } from '@chat-web/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { digestOf } from '../access/token.ts';
import { fakeGateway, serve, TOKEN } from '../testing/fake-gateway.ts';

let held: ReturnType<typeof deferred<void>>;
let gateway: Awaited<ReturnType<typeof fakeGateway>>;
let server: Awaited<ReturnType<typeof serve>>;
let key: string;
/** A response that is collected as garbage closes its stream. */
let open: Response[];

beforeEach(async () => {
  held = deferred();
  open = [];
  const settings = { CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_SPOOL_MAX_MB: '2', CHAT_WEB_SPOOL_SESSION_MAX_MB: '1' };
  gateway = await fakeGateway({ settings, handlers: { sendMessage: () => held.promise.then(() => ({ id: 'x' })) } });
  server = await serve(gateway.app);
  ({ key } = await gateway.keys.create({ name: 'shops', sessions: ['main', 'shop-*'], scope: 'send' }));
});
afterEach(async () => {
  held.resolve();
  await server.close();
  await gateway[Symbol.asyncDispose]();
});

const kept = async (answer: Promise<Response>) => {
  open.push(await answer);
  return answer;
};
const ask = (path: string, token: string, body?: object) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  return kept(fetch(new URL(path, server.url), { headers, ...sent }));
};

it('a key has a share of the streams of a session, those of its tickets included; the operator has the rest', async () => {
  const caller = gateway.keys.find(digestOf(key))?.caller;
  if (!caller) throw new Error('the key is unknown');
  for (let n = 0; n < 8; n += 1) expect((await ask('/sessions/main/events', key)).status).toBe(200);
  const refused = await ask('/sessions/main/events', key);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ code: 'too_many_streams', error: expect.stringContaining('this key') });
  expect((await ask('/sessions/main/events', TOKEN)).status).toBe(200);
  for (let n = 0; n < 120; n += 1) {
    const { ticket } = gateway.tickets.issue(caller, {});
    expect((await kept(fetch(new URL(`/events?ticket=${ticket}`, server.url)))).status).toBe(200);
  }
  const { ticket } = gateway.tickets.issue(caller, {});
  expect((await fetch(new URL(`/events?ticket=${ticket}`, server.url))).status).toBe(429);
  expect((await ask('/events', TOKEN)).status).toBe(200);
});

it('a key has a share of the space for uploads, whatever its sessions', async () => {
  const upload = { type: 'image', to: '12025550102', base64: 'A'.repeat(1_200_000) };
  const first = ask('/sessions/shop-1/messages', key, upload);
  await eventually(() => expect(gateway.handled).toHaveLength(1));
  const refused = await ask('/sessions/shop-2/messages', key, upload);
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', error: expect.stringContaining('this key') });
  const operators = ask('/sessions/shop-2/messages', TOKEN, upload);
  await eventually(() => expect(gateway.handled).toHaveLength(2));
  held.resolve();
  for (const { status } of await Promise.all([first, operators])) expect(status).toBe(200);
  expect((await ask('/sessions/shop-2/messages', key, upload)).status).toBe(200);
});
