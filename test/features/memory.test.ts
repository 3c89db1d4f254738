import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ADA, BEN, eventually, figure, pace, seconds } from '@chat-web/testing';
import { itInAllRounds } from '@chat-web/testing/hooks';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const MB = 1_048_576;
/** The limits of these tests, in MB: an idle page takes about 250. */
const SOFT = 400;
const HARD = 900;
/** What the page allocates at once, so that it need not leak for minutes. */
const GROWN = 300;
const settings = {
  CHAT_WEB_MEMORY_SOFT_MB: `${SOFT}`,
  CHAT_WEB_MEMORY_HARD_MB: `${HARD}`,
  CHAT_WEB_MEMORY_SETTLE_SECONDS: '1',
};

// These tests mostly wait.
describe.concurrent('a page that leaks', () => {
  it('is restarted above the soft mark as soon as it is idle, and loses no message meanwhile', async () => {
    await using stack = await Stack.start({ settings });
    await stack.link('ada', ADA);
    const events = await stack.listen('ada');
    await stack.disturb(ADA, 'leak', { mbPerSecond: 6 });
    await eventually(async () => expect(await stack.memoryMb('ada')).toBeGreaterThan(SOFT * 0.6));
    let sent = 0;
    const send = async () => {
      sent += 1;
      await stack.phones.send(BEN, { to: ADA, body: `message ${sent}` });
    };
    await send();
    const leakedAt = Date.now();
    await events.until('disconnected', undefined, 120_000);
    const tookMs = Date.now() - leakedAt;
    for (let n = 0; n < 20; n += 1) {
      await send();
      await pace(100);
    }
    await events.until('ready');
    await eventually(() => expect(events.all('message')).toHaveLength(sent));
    expect(events.all('message').map(({ body }) => body)).toEqual(
      Array.from({ length: sent }, (_, n) => `message ${n + 1}`),
    );
    expect(events.all('disconnected')).toMatchObject([{ reason: 'RECYCLED' }]);
    expect(await stack.client.getSessionStatus({ id: 'ada' })).toMatchObject({ status: 'ready', restarts: 1 });
    figure(
      'memory',
      `soft mark: recycled ${seconds(tookMs)} after the last message, ${sent} of ${sent} messages delivered, in order`,
    );
  });

  it('is killed above the hard mark although it is busy, without affecting another session', async () => {
    await using stack = await Stack.start({ settings });
    await Promise.all([stack.link('ada', ADA), stack.link('ben', BEN)]);
    const [ada, ben] = [await stack.listen('ada'), await stack.listen('ben')];
    // Shared memory is divided among browsers: when another one exits, this one has some 10 MB more at once.
    await stack.disturb(ADA, 'grow', { mb: GROWN });
    await stack.disturb(ADA, 'leak', { mbPerSecond: 5 });
    let max = 0;
    const startedAt = Date.now();
    while (ada.all('disconnected').length === 0 && Date.now() - startedAt < 180_000) {
      await stack.client.sendMessage({ id: 'ben', type: 'text', to: ADA, body: 'keeps her busy' });
      max = Math.max(max, await stack.memoryMb('ada'));
      await pace(500);
    }
    const [{ message = '' } = {}] = ada.all('disconnected');
    const took = Math.max(max, Number(/: (\d+) MB/.exec(message)?.[1]));
    expect(took).toBeGreaterThan(HARD);
    expect(took).toBeLessThan(HARD * 1.1);
    await ada.until('ready');
    expect(ben.events.filter(({ name }) => name !== 'message' && name !== 'message_ack')).toEqual([]);
    figure('memory', `hard mark of ${HARD} MB: killed at ${took} MB, ready again, the other session undisturbed`);
  });
});

describe('the disk', () => {
  itInAllRounds('is freed of caches, and keeps what the page has stored', async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    await stack.client.stopSession({ id: 'ada' });
    const profile = join(stack.dataDir, 'sessions', 'ada', 'session', 'Default');
    const cache = join(profile, 'Cache', 'Cache_Data');
    await mkdir(cache, { recursive: true });
    for (let n = 0; n < 50; n += 1) await writeFile(join(cache, `big_${n}`), Buffer.alloc(10 * MB, n + 1));
    const before = await stat(join(profile, 'IndexedDB'));
    await stack.client.startSession({ id: 'ada' });
    await stack.untilStatus('ada', 'ready');
    await expect(stat(join(cache, 'big_0'))).rejects.toThrow('ENOENT');
    expect((await stat(join(profile, 'IndexedDB'))).ino).toBe(before.ino);
    const { diskBytes } = await eventually(async () => {
      const status = await stack.client.getSessionStatus({ id: 'ada' });
      expect(status.diskBytes).toBeLessThan(100 * MB);
      return status;
    });
    figure(
      'memory',
      `500 MB of cache removed before the start, ${Math.round((diskBytes ?? 0) / MB)} MB left, no QR needed`,
    );
  });
});
