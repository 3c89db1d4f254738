import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ADA, BEN, CARLA, eventually, figure, listening, pace } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const ACCOUNTS = { ada: ADA, ben: BEN };
const OUTAGE_MS = 300_000;
const MESSAGES_OF_A_SESSION = 1_500;
/** The first three during the outage, the others during the deliveries after it. */
const KILLS = 5;
const MESSAGES_OF_A_ROUND = MESSAGES_OF_A_SESSION / KILLS;
/** Of them, those that may arrive while the gateway is down: the page recovers a few hundred of a chat. */
const MESSAGES_AROUND_KILL = 200;
const KILLS_IN_OUTAGE = 3;

interface Delivery {
  readonly id: string;
  readonly session: string;
  readonly n: number;
  readonly gateway: number;
}

it('a webhook gets 3,000 events in order, over an outage of 5 minutes and 5 kills of the gateway', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1' } });
  for (const [id, number] of Object.entries(ACCOUNTS)) await stack.link(id, number);
  const deliveries: Delivery[] = [];
  let isDown = true;
  const server = createServer(async (request, response) => {
    const { session, data } = JSON.parse(await text(request));
    if (isDown) return void response.destroy();
    const n = Number(data.body.split(' ')[1]);
    deliveries.push({ id: String(request.headers['webhook-id']), session, n, gateway: stack.gateway.pid });
    response.writeHead(204).end();
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const { id: webhookId } = await stack.client.createWebhook({ url, events: ['message'] });
  const startedAt = Date.now();

  for (let kill = 1; kill <= KILLS; kill += 1) {
    if (kill === KILLS_IN_OUTAGE + 1) {
      await pace(startedAt + OUTAGE_MS - Date.now());
      const [webhook] = (await stack.client.listWebhooks()).webhooks;
      expect(webhook).toMatchObject({ id: webhookId, status: 'failing', deadLetters: 0 });
      isDown = false;
    }
    const end = kill * MESSAGES_OF_A_ROUND;
    await sendToAll(stack, end - MESSAGES_OF_A_ROUND, end - MESSAGES_AROUND_KILL);
    const sending = sendToAll(stack, end - MESSAGES_AROUND_KILL, end);
    await pace(200);
    process.kill(stack.gateway.pid, 'SIGKILL');
    await stack.gateway.exited;
    await sending;
    await stack.restartGateway();
    for (const id of Object.keys(ACCOUNTS)) await stack.untilStatus(id, 'ready');
  }
  const first = new Map<string, Delivery>();
  await eventually(() => {
    for (const delivery of deliveries) if (!first.has(delivery.id)) first.set(delivery.id, delivery);
    expect(first.size).toBe(MESSAGES_OF_A_SESSION * 2);
  }, 420_000);
  await stack.settled();

  const all = Array.from({ length: MESSAGES_OF_A_SESSION }, (_, n) => n);
  for (const id of Object.keys(ACCOUNTS))
    expect([...first.values()].filter(({ session }) => session === id).map(({ n }) => n)).toEqual(all);
  // Only what was in progress at a kill is repeated, by the next gateway.
  const repeated = deliveries.filter((delivery) => first.get(delivery.id) !== delivery);
  for (const { id, gateway } of repeated) expect(first.get(id)?.gateway).not.toBe(gateway);
  figure('webhook outage', `${first.size} events, ${repeated.length} repeated around ${KILLS} kills`);
  server.closeAllConnections();
  server.close();
});

/** One sender for each account, whose messages arrive in their order. */
async function sendToAll(stack: Stack, from: number, end: number): Promise<void> {
  const sendTo = async (to: string) => {
    for (let n = from; n < end; n += 1) await stack.phones.send(CARLA, { to, body: `message ${n}` });
  };
  await Promise.all(Object.values(ACCOUNTS).map(sendTo));
}
