import { sendText } from '@chat-web/host';
import { ADA, BEN, eventually, idOf, pace } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const STRANGERS = Array.from({ length: 16 }, (_, n) => `120255502${String(n).padStart(2, '0')}`);
const FRIEND = STRANGERS[15] ?? '';
const UNREGISTERED = '12025559999';
const DAY_SECONDS = 86_400;
const RATE = 0.2;

/** The outcome of a send. */
async function outcomeOf(sent: Promise<unknown>): Promise<{ code: string; retryAfterSeconds?: number }> {
  try {
    await sent;
    return { code: 'sent' };
  } catch (error) {
    return error as { code: string; retryAfterSeconds?: number };
  }
}

it('new chats stay within the limit, sixteen at once and over a kill of the gateway', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_MAX_NEW_CHATS_PER_DAY: '5' } });
  await Promise.all(STRANGERS.map((number, n) => stack.phones.addAccount({ number, name: `Stranger ${n}` })));
  await stack.linkLongAgo('main', ADA);
  const events = await stack.listen('main');
  const send = (to: string) => outcomeOf(sendText(stack.client, { id: 'main', type: 'text', to, body: 'hello' }));
  await stack.phones.send(FRIEND, { to: ADA, body: 'a question' });
  await events.until('message', ({ body }) => body === 'a question');

  // Unregistered numbers do not count.
  for (let time = 0; time < 6; time += 1)
    expect(await send(UNREGISTERED)).toMatchObject({ code: 'recipient_not_found' });
  const outcomes = await Promise.all(STRANGERS.map(send));
  expect(outcomes.filter(({ code }) => code === 'sent')).toHaveLength(6); // The friend among them.
  expect(outcomes.at(-1)).toEqual({ code: 'sent' });
  const refused = outcomes.filter(({ code }) => code === 'rate_limited');
  expect(refused).toHaveLength(10);
  for (const { retryAfterSeconds } of refused) expect(retryAfterSeconds).toBeGreaterThan(DAY_SECONDS - 60);
  const sentTo = STRANGERS.filter((_, n) => outcomes[n]?.code === 'sent');
  const others = STRANGERS.filter((number) => !sentTo.includes(number));
  const metrics = await (await fetch(`${stack.gateway.url}/metrics`)).text();
  expect(metrics).toContain('chat_web_sends_refused_total{limit="new_chats_per_day"} 10');

  await stack.gateway.end('SIGKILL');
  await stack.restartGateway();
  await stack.untilStatus('main', 'ready');
  expect(await send(others[0] ?? '')).toMatchObject({ code: 'rate_limited' });
  expect(await send(BEN)).toMatchObject({ code: 'rate_limited' });
  for (const number of sentTo) expect(await send(number)).toEqual({ code: 'sent' });
  for (const number of others) expect(await stack.phones.messages(number, { with: ADA })).toEqual([]);
});

it('new chats stay within the limit over kills of the gateway with sends in progress', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_MAX_NEW_CHATS_PER_DAY: '5' } });
  await Promise.all(STRANGERS.map((number, n) => stack.phones.addAccount({ number, name: `Stranger ${n}` })));
  await stack.linkLongAgo('main', ADA);
  const send = (to: string) => outcomeOf(sendText(stack.client, { id: 'main', type: 'text', to, body: 'hello' }));
  for (let kill = 0; kill < 4; kill += 1) {
    // Different numbers each time, so that each is a new chat.
    const sends = STRANGERS.slice(4 * kill, 4 * kill + 4).map(send);
    await pace(20 * kill + Math.random() * 20);
    await stack.gateway.end('SIGKILL');
    await Promise.all(sends);
    await stack.restartGateway();
    await stack.untilStatus('main', 'ready');
  }
  await Promise.all(STRANGERS.map(send));
  expect((await Promise.all(STRANGERS.map(send))).map(({ code }) => code)).toContain('rate_limited');
  await stack.settled();
  const receivedBy = await Promise.all(STRANGERS.map((number) => stack.phones.messages(number, { with: ADA })));
  expect(receivedBy.filter((messages) => messages.length > 0).length).toBeLessThanOrEqual(5);
});

it('sends in a second stay within the limit, sixteen at once and over a kill of the gateway', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_MAX_SENDS_PER_SECOND: String(RATE) } });
  await stack.link('main', ADA);
  const send = () => outcomeOf(sendText(stack.client, { id: 'main', type: 'text', to: BEN, body: 'hello' }));
  /** Resolves with the time before the successful attempt. */
  const untilSent = async () => {
    for (;;) {
      const askedAt = performance.now();
      const outcomes = await Promise.all(Array.from({ length: 16 }, send));
      const sent = outcomes.filter(({ code }) => code === 'sent').length;
      const wait = Math.max(...outcomes.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds));
      expect(outcomes.filter(({ code }) => code === 'rate_limited')).toHaveLength(16 - sent);
      expect(sent).toBeLessThanOrEqual(1);
      if (sent === 1) return askedAt;
      await pace(wait * 1_000);
    }
  };
  const firstAt = await untilSent();
  await stack.gateway.end('SIGKILL');
  await stack.restartGateway();
  await stack.untilStatus('main', 'ready');
  await untilSent();
  expect(performance.now() - firstAt).toBeGreaterThanOrEqual(1_000 / RATE);
  await eventually(async () => expect(await stack.phones.messages(BEN, { with: ADA })).toHaveLength(2));
});

const LOOK_UPS_PAUSE_MS = 10_000;

it('numbers are not looked up again at once, also if the network has refused the last request', async () => {
  await using stack = await Stack.start();
  const { client, phones } = stack;
  await stack.linkLongAgo('main', ADA);
  const look = () => client.numbersExist({ id: 'main', numbers: [BEN] });
  const resolve = () => client.resolveContacts({ id: 'main', ids: ['12025559999'] });
  const notPermitted = expect.objectContaining({ code: 'not_permitted' });
  await phones.refuseRequests(ADA, { requests: ['exists-many'], code: 403 });
  for (const ask of [resolve, look]) {
    await expect(ask()).rejects.toEqual(notPermitted);
    await pace(LOOK_UPS_PAUSE_MS);
  }
  await phones.refuseRequests(ADA, { requests: ['exists-many'], code: 429 });
  await expect(look()).rejects.toMatchObject({ code: 'rate_limited' });
  await phones.refuseRequests(ADA, { requests: ['exists-many'], code: null });
  const before = (await phones.account(ADA)).lookUps.length;
  await expect(look()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
  expect((await phones.account(ADA)).lookUps).toHaveLength(before);
  expect(await eventually(look)).toEqual({ numbers: [{ number: BEN, exists: true, id: idOf(BEN) }] });
});
