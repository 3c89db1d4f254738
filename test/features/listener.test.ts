import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Disconnect, listen } from '@chat-web/host';
import { ADA, BEN, eventually, figure, fixture, pace, takes } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const ACCOUNTS: Readonly<Record<string, string>> = { ada: ADA, ben: BEN };
const FRIEND = '12025550190';
const MESSAGES_EACH = 500;
const MESSAGES = MESSAGES_EACH * Object.keys(ACCOUNTS).length;
/** The number of messages sent before each kill, and what is killed. */
const KILLS = [
  [150, 'application'],
  [300, 'application'],
  [400, 'gateway'],
  [500, 'application'],
  [650, 'application'],
  [750, 'gateway'],
  [850, 'application'],
] as const;
const APP = fixture('listening-app.mjs');
const SECOND = 1_000;
const SLOW_MESSAGES = 200;
/** The gateway closes a stream whose reader takes nothing for 30 s. */
const SLOW_MS = 45_000;

/** One run of the application: what it has handled, in order. */
interface Life {
  readonly handled: { readonly session: string; readonly n: number }[];
  readonly gaps: string[];
  hasStopped: boolean;
}

/** The file of the application, with all its runs. */
async function livesIn(folder: string): Promise<Life[]> {
  const lives: Life[] = [];
  for (const line of (await readFile(join(folder, 'handled'), 'utf8')).trim().split('\n')) {
    const { life, stopped, session, body, gap } = JSON.parse(line);
    if (life !== undefined) lives.push({ handled: [], gaps: [], hasStopped: false });
    const now = lives.at(-1);
    if (stopped !== undefined && now) now.hasStopped = true;
    if (gap !== undefined) now?.gaps.push(gap);
    if (body !== undefined) now?.handled.push({ session, n: Number(body) });
  }
  return lives;
}

it('an application handles 1,000 messages in order, over five kills of itself and two of the gateway', async () => {
  await using stack = await Stack.start();
  await stack.phones.addAccount({ number: FRIEND, name: 'Friend' });
  for (const [id, number] of Object.entries(ACCOUNTS)) await stack.link(id, number);
  const folder = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  const { url } = stack.gateway;
  const { port } = new URL(url);
  const startApp = () => spawn(process.execPath, [APP, url, folder], { stdio: 'inherit' });
  let app = startApp();
  const stopApp = async (signal: NodeJS.Signals) => {
    const exited = once(app, 'exit');
    app.kill(signal);
    await exited;
  };
  try {
    let sent = 0;
    const sending = Object.entries(ACCOUNTS).map(async ([, number]) => {
      for (let n = 0; n < MESSAGES_EACH; n += 1) {
        await stack.phones.send(FRIEND, { to: number, body: `${n}` });
        sent += 1;
        await pace(15);
      }
    });
    for (const [after, victim] of KILLS) {
      await eventually(() => expect(sent).toBeGreaterThan(after), 120 * SECOND);
      // Kills it while it handles messages: an application that waits for the gateway has none in progress.
      const before = (await livesIn(folder)).flatMap(({ handled }) => handled).length;
      await eventually(
        async () => expect((await livesIn(folder)).flatMap(({ handled }) => handled).length).toBeGreaterThan(before),
        120 * SECOND,
      );
      if (victim === 'application') {
        await stopApp('SIGKILL');
        app = startApp();
      } else {
        await stack.gateway.end('SIGKILL');
        await stack.restartGateway({ CHAT_WEB_PORT: port });
      }
    }
    await Promise.all(sending);
    const distinct = (lives: readonly Life[]) =>
      new Set(lives.flatMap(({ handled }) => handled.map(({ session, n }) => `${session} ${n}`))).size;
    await eventually(async () => expect(distinct(await livesIn(folder))).toBe(MESSAGES), 120 * SECOND);
    await stopApp('SIGTERM');

    const lives = await livesIn(folder);
    expect(lives).toHaveLength(6);
    expect(lives.at(-1)?.hasStopped).toBe(true);
    expect(lives.flatMap(({ gaps }) => gaps)).toEqual([]);
    const repeats = lives.map(() => 0);
    for (const session of Object.keys(ACCOUNTS)) {
      let next = 0;
      lives.forEach(({ handled }, life) => {
        const numbers = handled.filter((one) => one.session === session).map(({ n }) => n);
        if (numbers.length === 0) return;
        const [first = 0] = numbers;
        // In order within each run: repeats are only at its start, and kills of the gateway cause none.
        expect(numbers).toEqual(numbers.map((_, index) => first + index));
        expect(first).toBeLessThanOrEqual(next);
        repeats[life] = (repeats[life] ?? 0) + next - first;
        next = first + numbers.length;
      });
      expect(next).toBe(MESSAGES_EACH);
    }
    expect(repeats[0]).toBe(0);
    const total = repeats.reduce((sum, count) => sum + count, 0);
    // The messages of two sessions in the 0.1 s between two saves, with a wide margin.
    expect(Math.max(...repeats)).toBeLessThan(300);
    figure(
      'listener',
      `${MESSAGES} messages, 5 kills of the application, 2 of the gateway: 0 lost, 0 out of order, ${total} repeated (${repeats.slice(1).join(', ')} after each kill of the application)`,
    );
  } finally {
    if (app.exitCode === null) app.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

it('a handler slower than the gateway waits for a reader costs a connection, but no message', async () => {
  await using stack = await Stack.start();
  await stack.link('ada', ADA);
  const text = 'x'.repeat(60_000);
  const disconnects: Disconnect[] = [];
  const errors: unknown[] = [];
  const listener = listen(stack.address, {
    sessions: 'ada',
    events: ['message'],
    from: 'oldest',
    onDisconnect: (one) => disconnects.push(one),
    onError: (error) => errors.push(error),
  });
  const sending = (async () => {
    for (let n = 0; n < SLOW_MESSAGES; n += 1) await stack.phones.send(BEN, { to: ADA, body: `${n} ${text}` });
  })();
  const handled: number[] = [];
  for await (const { name, data } of listener) {
    if (name !== 'message') expect.unreachable();
    handled.push(Number.parseInt(data.body, 10));
    if (handled.length === 1) await takes(SLOW_MS);
    if (handled.length === SLOW_MESSAGES) void listener.stop();
  }
  await sending;
  expect(handled).toEqual([...Array(SLOW_MESSAGES).keys()]);
  expect(errors).toEqual([]);
  expect(disconnects.length).toBeGreaterThan(0);
  figure(
    'listener',
    `a handler of ${SLOW_MS / SECOND} s: ${disconnects.length} connection lost, ${SLOW_MESSAGES} of ${SLOW_MESSAGES} messages of 60 KB handled once, in order`,
  );
});
