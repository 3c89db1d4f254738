import { randomUUID } from 'node:crypto';
import { GatewayError } from '@chat-web/protocol';
import {
  ADA,
  BEN,
  browserAndWorkerIn,
  CARLA,
  eventually,
  figure,
  media,
  pace,
  renderersIn,
  rounds,
} from '@chat-web/testing';
import { Stack, stanzaOf } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const [{ bytes: png }] = media;
/** To a number, to a hidden number, to a group, and an image. */
const KINDS = 4;
const KEYED = rounds({ few: 100, all: 200 });
const PLAIN = KEYED / 4;
const AT_ONCE = 4;
/** Each of the four ways as often. */
const KILLS = rounds({ few: 4, all: 12 });
const MAX_MS = 240_000;
/** The definite answers: nothing was sent. All others leave the outcome open, and the caller retries. */
const SETTLED = ['recipient_not_found', 'chat_not_found', 'not_permitted', 'invalid_request'];

/** False if there was nothing to kill. */
function killed(what: 'worker' | 'browser' | 'renderer', folder: string): boolean {
  try {
    const pids = what === 'renderer' ? renderersIn(folder) : [browserAndWorkerIn(folder)[what]];
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    return pids.length > 0;
  } catch {
    return false;
  }
}

/** Runs work on a list with limited concurrency. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  });
  await Promise.all(workers);
}

it(`${KEYED} keyed sends arrive once each, and all get an answer, over kills of worker, browser and gateway`, async () => {
  await using stack = await Stack.start({ simulator: { ackDelayMs: 500 } });
  await stack.link('ada', ADA);
  const group = (await stack.client.createGroup({
    id: 'ada',
    subject: 'Readers',
    participants: [BEN, CARLA],
  })) as string;
  const inputOf = (n: number, body: string) => {
    const to = [BEN, CARLA, group][n % KINDS];
    if (to) return { id: 'ada', type: 'text', to, body } as const;
    return { id: 'ada', type: 'image', to: BEN, base64: Buffer.from(png).toString('base64'), caption: body } as const;
  };

  const ids = new Map<number, Set<string>>();
  const attempts = { all: 0, failed: 0 };
  let isOver = false;
  const deadline = Date.now() + MAX_MS;
  const keyed = each(
    Array.from({ length: KEYED }, (_, n) => n),
    async (n) => {
      const [key, seen] = [randomUUID(), new Set<string>()];
      let last = '';
      ids.set(n, seen);
      while (Date.now() < deadline) {
        attempts.all += 1;
        try {
          const sent = await stack.client.sendMessage(inputOf(n, `keyed ${n}`), { idempotencyKey: key });
          seen.add(sent.id);
          return;
        } catch (error) {
          attempts.failed += 1;
          last = String(error);
          if (!(error instanceof GatewayError) || SETTLED.includes(error.code)) throw error;
          if (error.code === 'outcome_unknown' && error.id?.startsWith('true_')) seen.add(error.id);
          await pace(300);
        }
      }
      throw new Error(`key ${n} had no answer: ${last}`);
    },
  ).finally(() => {
    isOver = true;
  });
  const plain = each(
    Array.from({ length: PLAIN }, (_, n) => n),
    async (n) => {
      await pace(Math.random() * 1_000);
      await stack.client.sendMessage(inputOf(n, `plain ${n}`)).catch(() => pace(500));
    },
  );

  const kills = { worker: 0, browser: 0, renderer: 0, gateway: 0 };
  const folder = `${stack.dataDir}/sessions/ada`;
  const ways = Object.keys(kills) as (keyof typeof kills)[];
  for (let n = 0; n < KILLS && !isOver; ) {
    await stack.untilStatus('ada', 'ready');
    await pace(300 + Math.random() * 1_500);
    const way = ways[n % ways.length] ?? 'worker';
    if (way === 'gateway') {
      process.kill(stack.gateway.pid, 'SIGKILL');
      await stack.gateway.exited;
      await stack.restartGateway();
    } else if (!killed(way, folder)) continue; // It is still restarting.
    n += 1;
    kills[way] += 1;
  }
  await Promise.all([keyed, plain]);

  // A recovered page may still have messages to send.
  await stack.untilStatus('ada', 'ready');
  const arrived = async () => {
    const phones = await Promise.all([stack.phones.messages(BEN), stack.phones.messages(CARLA)]);
    const [ben, carla] = phones.map((all) => all.filter(({ from }) => from.startsWith(ADA)));
    return { ben: ben ?? [], carla: carla ?? [] };
  };
  const phoneOf = (n: number) => (n % KINDS === 1 ? 'carla' : 'ben');
  const copiesOf = (all: Awaited<ReturnType<typeof arrived>>, n: number, text: string) =>
    all[phoneOf(n)].filter(({ body }) => body === text);
  await eventually(async () => {
    const all = await arrived();
    for (let n = 0; n < KEYED; n += 1) expect(copiesOf(all, n, `keyed ${n}`).length).toBeGreaterThan(0);
  });
  await stack.settled();
  const all = await arrived();
  for (let n = 0; n < KEYED; n += 1) {
    const copies = copiesOf(all, n, `keyed ${n}`);
    expect(copies).toHaveLength(1);
    // In groups the id also contains the author, by number or hidden number.
    expect([...new Set([...(ids.get(n) ?? [])].map(stanzaOf))]).toEqual([copies[0]?.id]);
  }
  for (let n = 0; n < PLAIN; n += 1) expect(copiesOf(all, n, `plain ${n}`).length).toBeLessThan(2);
  expect(Math.min(...Object.values(kills))).toBeGreaterThan(0);
  figure(
    'keyed sends',
    `${KEYED} of ${KEYED} keys answered, one copy each; ${attempts.failed} of ${attempts.all} attempts failed; kills: ${JSON.stringify(kills)}`,
  );
});

it('a send without a key whose answer is lost also reports its id if the network is slow', async () => {
  await using stack = await Stack.start({ simulator: { ackDelayMs: 60_000 } });
  await stack.link('ada', ADA);
  const sent = stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'no key' });
  const failed = sent.catch((error: GatewayError) => error);
  await stack.untilUnconfirmed('ada', ADA);
  await pace(5_000); // The page reports the id after half a second without a confirmation.
  process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/ada`).browser, 'SIGKILL');
  expect(await failed).toMatchObject({ code: 'outcome_unknown', id: expect.stringMatching(/^true_/) });
});
