import { GatewayError, type SessionEvent } from '@chat-web/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keyNotes } from '../sends/sent-keys.ts';
import { fakeGateway, TOKEN } from '../testing/fake-gateway.ts';

const LONGEST = '€'.repeat(65_000);
const SENDS = 222;
const text = (body: string) => ({ type: 'text', to: '+12025550102', body });

let gateway: Awaited<ReturnType<typeof fakeGateway>>;
let position: string;

beforeEach(async () => {
  gateway = await fakeGateway({
    settings: { CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_JOURNAL_MAX_MB: '32' },
    handlers: {
      sendMessage: (input) => {
        if (input.body === 'refused') throw new GatewayError('recipient_not_found', 'unknown');
        return { id: 'true_12025550102@c.us_3EB0', body: input.body };
      },
    },
  });
  gateway.events.publish('victim', { name: 'ready', data: {} } as unknown as SessionEvent);
  await gateway.events.settled();
  position = gateway.journal.idOf(gateway.journal.lastSeq);
  gateway.events.publish('victim', { name: 'message_ack', data: { id: 'the next', ack: 1 } });
});
afterEach(() => gateway[Symbol.asyncDispose]());

/** The statuses of keyed requests, each with another Idempotency-Key. */
async function sendAll(bodies: readonly string[], key: string): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const [n, body] of bodies.entries()) {
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': `${body.length}-${n}` };
    const sent = await gateway.request('/sessions/main/messages', { method: 'POST', headers, body: text(body) });
    counts.set(sent.status, (counts.get(sent.status) ?? 0) + 1);
  }
  return counts;
}

const newKey = (name: string) => gateway.keys.create({ name, scope: 'send', sessions: ['main'] });
const longest = Array.from({ length: SENDS }, () => LONGEST);

/** What a reader of another session gets, who has read nothing since. */
async function missed(): Promise<unknown> {
  await gateway.journal.housekeep();
  const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json' };
  const page = await gateway.request(`/events?sessions=victim&after=${position}`, { headers });
  return ((await page.json()) as { events: unknown[] }).events;
}

it('the answers to a key push out no events of other sessions', async () => {
  const { key } = await newKey('sender');
  expect(await sendAll(longest, key)).toEqual(new Map([[200, SENDS]]));
  expect(await missed()).toMatchObject([{ event: 'message_ack' }]);
  expect(gateway.journal.stats.bytes).toBeLessThan(5 * 1_048_576);
  // The control: uncharged, as many of these records do.
  for (const n of longest.keys())
    await gateway.journal.append(keyNotes.done('main', `${n}`, JSON.stringify({ body: LONGEST })));
  expect(await missed()).toMatchObject([{ event: 'gap', data: { reason: 'expired' } }]);
}, 120_000);

it('a key whose requests have stored too much is refused until it has room; other keys and the operator are not', async () => {
  const [{ id, key }, other] = [await newKey('sender'), await newKey('other')];
  const filling = keyNotes.done('main', 'x', 'x'.repeat(6.5 * 1_048_576));
  await gateway.events.requests.append(filling, id, 'nothing');
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'k' };
  const refused = await gateway.request('/sessions/main/messages', { method: 'POST', headers, body: text('hello') });
  expect([refused.status, Number(refused.headers.get('Retry-After'))]).toEqual([429, expect.any(Number)]);
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', error: expect.stringContaining('this key') });
  expect(gateway.handled).toEqual([]);
  for (const token of [other.key, TOKEN]) expect(await sendAll(['hello'], token)).toEqual(new Map([[200, 1]]));
});
