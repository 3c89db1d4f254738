import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, BEN, eventually, figure, SmallDisk } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const SENDS = 20;
/** Below the limit, with some space left for the running sessions. */
const RESERVE_MB = 30;

it('a full disk refuses starts, ends nothing that runs, and loses nothing', async () => {
  await using disk = await SmallDisk.create();
  const settings = { CHAT_WEB_MIN_FREE_DISK_MB: `${disk.markMb}` };
  await using stack = await Stack.start({ dataDir: disk.dataDir, settings });
  const { client } = stack;
  await stack.link('ada', ADA);
  await stack.link('ben', BEN);
  const [ada, ben] = [await stack.listen('ada'), await stack.listen('ben')];
  const send = (body: string) => client.sendMessage({ id: 'ben', type: 'text', to: ADA, body });
  await client.stopSession({ id: 'ada' });

  const reserveMb = await disk.fill(RESERVE_MB);
  expect(reserveMb).toBeLessThan(disk.markMb);
  await refusesToStart(stack, 'ada');
  const image = { id: 'ben', type: 'image', to: ADA, base64: 'AAAA', mimeType: 'image/png' };
  await expect(client.sendMessage(image as never)).rejects.toMatchObject({ code: 'insufficient_resources' });
  for (let n = 1; n <= SENDS; n += 1) await send(`below the mark ${n}`);
  await eventually(async () => {
    const arrived = (await stack.phones.messages(ADA)).filter(({ body }) => body?.startsWith('below the mark'));
    expect(arrived).toHaveLength(SENDS);
  });

  const leftMb = await disk.fill(0);
  await refusesToStart(stack, 'ada');
  // The page does not send what it cannot store. The caller gets `outcome_unknown`: it may still be sent.
  for (const outcome of await Promise.allSettled([1, 2, 3].map((n) => send(`on a full disk ${n}`))))
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'outcome_unknown' });
  await refusesToStart(stack, 'ada');
  expect(await client.getSessionStatus({ id: 'ben' })).toMatchObject({ status: 'ready', restarts: 0 });

  await disk.free();
  await client.restartSession({ id: 'ben' });
  await client.startSession({ id: 'ada' });
  for (const id of ['ada', 'ben']) {
    await stack.untilStatus(id, 'ready');
    expect(existsSync(join(disk.dataDir, 'sessions', id, 'linked.json'))).toBe(true);
  }
  await send('there is space again');
  expect([...ada.all('qr'), ...ben.all('qr')]).toEqual([]);
  figure(
    'full disk',
    `disk filled to ${reserveMb} MB: starts refused with 503, ${SENDS} of ${SENDS} sends of a running session arrived; filled to ${leftMb} MB: the session kept running; with space again 2 of 2 sessions ready without a QR`,
  );
});

/** The gateway is healthy, and reports what a start lacks. */
async function refusesToStart({ client, gateway }: Stack, id: string): Promise<void> {
  const start = await fetch(`${gateway.url}/sessions/${id}/start`, { method: 'POST' });
  expect(start.status).toBe(503);
  expect(await start.json()).toMatchObject({
    code: 'insufficient_resources',
    error: expect.stringMatching(/short of space: \d+ MB free, \d+ MB needed .*CHAT_WEB_MIN_FREE_DISK_MB/),
  });
  expect(await client.getSessionStatus({ id })).toMatchObject({ status: 'stopped' });
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
}
