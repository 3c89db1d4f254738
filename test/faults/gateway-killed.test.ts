import {
  ADA,
  BEN,
  browsersIn,
  CARLA,
  DEV,
  eventually,
  figure,
  pace,
  seconds,
  stillRunning,
  withRoom,
  workersOf,
} from '@chat-web/testing';
import { itInAllRounds } from '@chat-web/testing/hooks';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const ACCOUNTS = { ada: ADA, ben: BEN, carla: CARLA, dev: DEV };
const IDS = Object.keys(ACCOUNTS);
const GONE_WITHIN_MS = 2_000;
const READY_WITHIN_MS = 30_000;

describe('the SIGKILL of a gateway with four sessions', () => {
  it('ends its workers and browsers within 2 s; the next start resumes all without a QR within 30 s', async () => {
    await using stack = await Stack.start();
    for (const [id, number] of Object.entries(ACCOUNTS)) await stack.link(id, number);
    const devices = await devicesOf(stack);
    expect(workersOf(stack.gateway.pid)).toHaveLength(4);

    const goneAfterMs = await killGateway(stack);
    const readyAfterMs = await resume(stack);
    expect(await devicesOf(stack)).toEqual(devices);
    await stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'as if nothing had happened' });

    figure(
      'killed gateway',
      `all gone after ${seconds(goneAfterMs)}, 4 of 4 ready ${seconds(readyAfterMs)} after the next start`,
    );
    expect(goneAfterMs).toBeLessThanOrEqual(withRoom(GONE_WITHIN_MS));
    expect(readyAfterMs).toBeLessThanOrEqual(withRoom(READY_WITHIN_MS));
  });

  itInAllRounds('does the same while browsers are being launched', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_START_CONCURRENCY: '4' } });
    for (const [id, number] of Object.entries(ACCOUNTS)) await stack.link(id, number);
    await stack.gateway.end();
    const goneAfterMs: number[] = [];
    for (const bootingForMs of [100, 700, 1_300]) {
      await stack.restartGateway();
      await eventually(() => expect(workersOf(stack.gateway.pid)).not.toEqual([]));
      await pace(bootingForMs);
      goneAfterMs.push(await killGateway(stack));
    }
    const readyAfterMs = await resume(stack);

    const slowest = Math.max(...goneAfterMs);
    figure(
      'killed gateway',
      `killed during the boot, all gone after ${seconds(slowest)}, ready after ${seconds(readyAfterMs)}`,
    );
    expect(slowest).toBeLessThanOrEqual(withRoom(GONE_WITHIN_MS));
    expect(readyAfterMs).toBeLessThanOrEqual(withRoom(READY_WITHIN_MS));
  });
});

/** Kills the gateway. Returns how long its workers and browsers outlive it, in milliseconds. */
async function killGateway({ gateway, dataDir }: Stack): Promise<number> {
  const children = [...workersOf(gateway.pid), ...browsersIn(dataDir)];
  expect(children).not.toEqual([]);
  const killedAt = Date.now();
  process.kill(gateway.pid, 'SIGKILL');
  const goneAfterMs = await eventually(() => {
    expect(stillRunning([gateway.pid, ...children])).toEqual([]);
    expect(browsersIn(dataDir)).toEqual([]);
    return Date.now() - killedAt;
  });
  // A browser whose launch was under way would show up. Nothing of the gateway is left that could report it.
  await pace(500);
  expect(browsersIn(dataDir), 'browsers that came up later').toEqual([]);
  await gateway.exited;
  return goneAfterMs;
}

/** Starts the gateway again. Returns how long it takes until all sessions are ready, in milliseconds. */
async function resume(stack: Stack): Promise<number> {
  const startedAt = Date.now();
  await stack.restartGateway();
  const streams = await Promise.all(IDS.map((id) => stack.listen(id)));
  const readyAfterMs = await eventually(async () => {
    const { sessions } = await stack.client.listSessions();
    expect(sessions.map(({ id, status }) => ({ id, status }))).toEqual(IDS.map((id) => ({ id, status: 'ready' })));
    return Date.now() - startedAt;
  }, withRoom(READY_WITHIN_MS));
  expect(streams.flatMap((events) => events.all('qr'))).toEqual([]);
  return readyAfterMs;
}

/** The linked devices of each account: a new link would have needed a QR. */
function devicesOf({ phones }: Stack): Promise<string[][]> {
  return Promise.all(
    Object.values(ACCOUNTS).map(async (number) => (await phones.account(number)).devices.map(({ id }) => id)),
  );
}
