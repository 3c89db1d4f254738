import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { ADA, BEN, CARLA, DEV, eventually, figure, listening, pace, rounds, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const ACCOUNTS = rounds<Readonly<Record<string, string>>>({
  few: { ada: ADA, ben: BEN },
  all: { ada: ADA, ben: BEN, carla: CARLA, dev: DEV },
});
const FRIEND = '12025550190';
const EVENTS = rounds({ few: 1_000, all: 10_000 });
const DISCONNECTS = EVENTS / 100;
const KILLS = rounds({ few: 2, all: 5 });
const SECOND = 1_000;

/** An event as sent on `/events`. */
interface Received {
  readonly id: string;
  readonly event: string;
  readonly session: string | undefined;
  readonly data: { readonly body?: string; readonly reason?: string };
}

/** A consumer that loses its connection repeatedly, and resumes after the last event that it has handled. */
class Consumer {
  readonly received: Received[] = [];
  disconnects = 0;
  #isOver = false;
  readonly #stack: Stack;

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      await this.#connection().catch(() => {}); // The gateway is down, or the connection failed.
      await pace(20);
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  /** One connection, which ends after some events. */
  async #connection(): Promise<void> {
    const ends = new AbortController();
    const max = 1 + Math.floor(Math.random() * ((2 * EVENTS) / DISCONNECTS));
    const after = this.received.at(-1)?.id ?? 'oldest';
    const url = new URL('/events?events=message,message_ack,gap', this.#stack.gateway.url);
    const timer = setInterval(() => this.#isOver && ends.abort(), 50);
    try {
      const { body } = await fetch(url, { headers: { 'Last-Event-ID': after }, signal: ends.signal });
      let [text, count] = ['', 0];
      for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const frames = (text + chunk).split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) {
          const [, id = '', event = '', data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(frame) ?? [];
          if (data === undefined) continue;
          this.received.push({ id, event, ...JSON.parse(data) });
          count += 1;
          if (count < max) continue;
          this.disconnects += 1;
          return;
        }
      }
    } finally {
      clearInterval(timer);
      ends.abort();
    }
  }
}

/** An endpoint of a webhook, which may be down. */
class Endpoint {
  readonly accepted: Received[] = [];
  /** How often events were delivered again after it had accepted them. */
  repeats = 0;
  isDown = false;
  readonly #ids = new Set<string>();
  readonly #server = createServer(async (request, response) => {
    const body = (await json(request)) as Pick<Received, 'session' | 'data'> & { readonly type: string };
    if (this.isDown) {
      request.socket.destroy();
      return;
    }
    const id = String(request.headers['webhook-id']);
    if (this.#ids.has(id)) this.repeats += 1;
    else this.accepted.push({ ...body, id, event: body.type });
    this.#ids.add(id);
    response.writeHead(204).end();
  });

  async open(): Promise<string> {
    return `http://127.0.0.1:${await listening(this.#server)}/`;
  }

  [Symbol.dispose](): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Enough retries for the outage of the endpoint in this test. */
const RETRY_SECONDS = ['1', ...Array.from({ length: 19 }, () => '15')].join(',');
/** The position of a webhook is stored after 50 events. More are delivered during the write. */
const REPEATS_OF_A_KILL = 100;

it(`a consumer gets every event once and in order, over ${DISCONNECTS} disconnects and kills of gateway and workers`, async () => {
  using endpoint = new Endpoint();
  const settings = { CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1', CHAT_WEB_WEBHOOK_RETRY_SECONDS: RETRY_SECONDS };
  await using stack = await Stack.start({ simulator: { ackDelayMs: 0 }, settings });
  await stack.client.createWebhook({ url: await endpoint.open(), events: ['message', 'message_ack'] });
  await stack.phones.addAccount({ number: FRIEND, name: 'Friend' });
  for (const [id, number] of Object.entries(ACCOUNTS)) await stack.link(id, number);
  const consumer = new Consumer(stack);
  const consuming = consumer.run();

  const sent = new Map(Object.keys(ACCOUNTS).map((id) => [id, 0]));
  let isOver = false;
  const inbound = Object.entries(ACCOUNTS).map(async ([id, number]) => {
    while (!isOver) {
      const n = sent.get(id) ?? 0;
      await stack.phones.send(FRIEND, { to: number, body: `${n}` });
      sent.set(id, n + 1);
      await pace(15);
    }
  });
  const outbound = Object.keys(ACCOUNTS).map(async (id) => {
    while (!isOver) {
      // Some fail: there is no gateway, or no worker.
      await stack.client.sendMessage({ id, type: 'text', to: FRIEND, body: 'out' }).catch(() => pace(100));
    }
  });

  let downSince = 0;
  for (let kill = 0; kill < 2 * KILLS; kill += 1) {
    await eventually(() => expect(consumer.received.length).toBeGreaterThan((kill + 1) * 100), 60 * SECOND);
    if (kill === 2) {
      expect(endpoint.accepted.length).toBeGreaterThan(0);
      endpoint.isDown = true;
      downSince = performance.now();
    }
    await pace(Math.random() * SECOND);
    if (kill % 2 === 0) {
      const workers = workersOf(stack.gateway.pid);
      const victim = workers[Math.floor(Math.random() * workers.length)];
      if (victim !== undefined) process.kill(victim, 'SIGKILL');
    } else {
      process.kill(stack.gateway.pid, 'SIGKILL');
      await stack.gateway.exited;
      await stack.restartGateway();
    }
    for (const id of Object.keys(ACCOUNTS)) await stack.untilStatus(id, 'ready', 60 * SECOND);
  }
  await eventually(() => expect(consumer.received.length).toBeGreaterThan(EVENTS), 200 * SECOND);
  const downSeconds = Math.round((performance.now() - downSince) / SECOND);
  endpoint.isDown = false;
  await eventually(() => expect(consumer.disconnects).toBeGreaterThan(DISCONNECTS), 60 * SECOND);
  isOver = true;
  await Promise.all([...inbound, ...outbound]);

  const bodiesOf = (session: string, received = consumer.received) =>
    received.flatMap((one) => (one.event === 'message' && one.session === session ? [one.data.body] : []));
  const wanted = (session: string) => Array.from({ length: sent.get(session) ?? 0 }, (_, n) => `${n}`);
  await eventually(() => {
    for (const id of Object.keys(ACCOUNTS)) expect(bodiesOf(id)).toHaveLength(wanted(id).length);
  }, 60 * SECOND);
  await eventually(() => {
    for (const id of Object.keys(ACCOUNTS)) expect(bodiesOf(id, endpoint.accepted)).toHaveLength(wanted(id).length);
  }, 120 * SECOND);
  await stack.settled();
  consumer.stop();
  await consuming;

  for (const id of Object.keys(ACCOUNTS)) expect(bodiesOf(id)).toEqual(wanted(id));
  const ids = consumer.received.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const seqs = ids.map((id) => Number(id.split('-')[1]));
  expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
  // A catch-up emits `gap` if it may be incomplete: more than 2,000 messages in the period that it checks.
  const gaps = consumer.received.filter(({ event }) => event === 'gap');
  expect(gaps.filter(({ data }) => data.reason !== 'not_loaded')).toEqual([]);
  expect(ids).toEqual(await storedIds(stack, ids.length));
  const seen = consumer.received.filter(({ event }) => event !== 'gap');
  for (const id of Object.keys(ACCOUNTS)) {
    const idsOf = (received: readonly Received[]) =>
      received.filter(({ session }) => session === id).map(({ id }) => id);
    expect(idsOf(endpoint.accepted)).toEqual(idsOf(seen));
  }
  expect(endpoint.repeats).toBeLessThanOrEqual(KILLS * REPEATS_OF_A_KILL);
  expect((await stack.client.listWebhooks()).webhooks).toMatchObject([
    { status: 'active', waiting: 0, deadLetters: 0 },
  ]);
  figure(
    'webhook',
    `${endpoint.accepted.length} events, down for ${downSeconds} s, ${KILLS} kills of the gateway: 0 lost, 0 out of order, ${endpoint.repeats} repeated`,
  );
  figure(
    'resumed streams',
    `${ids.length} events, ${consumer.disconnects} disconnects, ${KILLS} kills of the gateway, ${KILLS} of workers: 0 lost, 0 duplicated, 0 out of order`,
  );
});

/** The ids of the first events that the gateway has stored. */
async function storedIds({ gateway }: Stack, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let after = 'oldest'; found.length < count; ) {
    const url = new URL(`/events?events=message,message_ack&limit=1000&after=${after}`, gateway.url);
    const response = await fetch(url, { headers: { Accept: 'application/json' } });
    const { events, next } = (await response.json()) as { events: { id: string }[]; next: string };
    if (events.length === 0) break;
    found.push(...events.map(({ id }) => id));
    after = next;
  }
  return found.slice(0, count);
}
