import { join } from 'node:path';
import { sendText } from '@chat-web/host';
import { ADA, BEN, browsersIn, eventually, renderersIn, stillRunning, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

describe('two accounts in two workers', () => {
  const stack = sharedStack();
  let adasWorker: number;
  beforeAll(async () => {
    await stack.link('ada', ADA);
    [adasWorker = Number.NaN] = workersOf(stack.gateway.pid); // 0 would signal all processes of this test.
    await stack.link('ben', BEN);
  });
  const folderOf = (id: string) => join(stack.dataDir, 'sessions', id);

  it.each(['ada', 'ben'])('are one page each: %s has no other renderer', (id) => {
    // A newer Chromium silently ignores a feature flag that it no longer knows. This test would show it.
    expect(renderersIn(folderOf(id))).toHaveLength(1);
    expect(browsersIn(folderOf(id)).length).toBeLessThanOrEqual(5);
  });

  it('write to each other', async () => {
    expect(workersOf(stack.gateway.pid)).toHaveLength(2);
    const [ada, ben] = await Promise.all([stack.listen('ada'), stack.listen('ben')]);

    const question = await sendText(stack.client, { id: 'ada', type: 'text', to: BEN, body: 'ping' });
    const received = await ben.until('message', ({ body }) => body === 'ping');
    expect(received.from).toBe(`${ADA}@c.us`);
    await stack.client.sendMessage({ id: 'ben', type: 'text', to: ADA, body: 'pong', quotedMessageId: received.id });
    const answer = await ada.until('message', ({ body }) => body === 'pong');
    expect(answer).toMatchObject({ from: `${BEN}@c.us`, quotedMessageId: question.id });
    expect([ada, ben].map((events) => events.all('message').length)).toEqual([1, 1]);
  });

  it('do not affect each other: SIGKILL of one worker', async () => {
    const [ada, ben] = await Promise.all([stack.listen('ada'), stack.listen('ben')]);
    const before = browsersIn(folderOf('ada'));

    process.kill(adasWorker, 'SIGKILL');
    const bodies = Array.from({ length: 20 }, (_, n) => `undisturbed ${n}`);
    for (const body of bodies) await stack.client.sendMessage({ id: 'ben', type: 'text', to: ADA, body });
    await eventually(async () => {
      const arrived = (await stack.phones.messages(ADA, { with: BEN })).map(({ body }) => body);
      expect(arrived.filter((body) => body?.startsWith('undisturbed'))).toEqual(bodies);
    });

    const { reason, message } = await ada.until('disconnected');
    expect({ reason, message }).toEqual({ reason: 'WORKER_EXITED', message: expect.stringContaining('SIGKILL') });
    await eventually(() => expect(stillRunning(before)).toEqual([]));
    await stack.client.startSession({ id: 'ada' });
    await ada.until('ready');
    await stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'back' });
    expect(ada.ended).toBe(false);
    expect(ben.all('disconnected')).toEqual([]);
  });

  it('stop with the gateway: SIGTERM ends streams, workers and browsers, with exit code 0', async () => {
    await stack.client.startSession({ id: 'new' });
    const events = await stack.listen('ada');
    const workers = workersOf(stack.gateway.pid);
    expect(workers).toHaveLength(3);
    expect(await stack.gateway.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(stillRunning(workers)).toEqual([]);
    expect(browsersIn(stack.dataDir)).toEqual([]);
    await eventually(() => expect(events.ended).toBe(true));
  });
});

describe('a page that changes', () => {
  it('becomes ready also if it has synced before the library listens', async () => {
    await using stack = await Stack.start({ simulator: { syncDelayMs: 0, pairDelayMs: 0 } });
    await stack.link('main', ADA);
    await stack.client.stopSession({ id: 'main' });
    await stack.client.startSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
  });

  it('survives navigations of every kind: one ready each time, one event for each message', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    for (let round = 0; round < 5; round += 1) {
      for (const kind of ['pushState', 'iframe', 'sync'] as const) await stack.disturb(ADA, kind);
    }
    await stack.phones.send(BEN, { to: ADA, body: 'after the storm' });
    await events.until('message');
    expect(events.events.map(({ name }) => name)).toEqual(['message']);

    await stack.disturb(ADA, 'reload');
    await events.until('disconnected');
    await events.until('ready');
    await stack.phones.send(BEN, { to: ADA, body: 'after the reload' });
    await events.until('message', ({ body }) => body === 'after the reload');
    expect(events.events.map(({ name }) => name)).toEqual(['message', 'disconnected', 'ready', 'message']);
    expect(workersOf(stack.gateway.pid)).toHaveLength(1);
  });
});
