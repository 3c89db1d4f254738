import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { ADA, BEN, FARID, figure, pace, seconds, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const BLOCKED_MS = 20_000;
const BUSY_MS = 60_000;

describe('a busy session is not treated as unresponsive', () => {
  it('while all cores are busy for 60 s, and one page is blocked for 20 s of them', async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    await stack.link('ben', BEN);
    const streams = await Promise.all(['ada', 'ben'].map((id) => stack.listen(id)));
    const workers = workersOf(stack.gateway.pid);
    const send = (id: string) => stack.client.sendMessage({ id, type: 'text', to: FARID, body: `from ${id}` });

    const cores = availableParallelism();
    const busyAt = Date.now();
    const ends = Promise.all(Array.from({ length: cores }, () => once(busyProcess(BUSY_MS), 'exit')));
    const blockedAt = Date.now();
    await stack.disturb(ADA, 'block', { ms: BLOCKED_MS });
    await stack.client.listChats({ id: 'ada' }); // A call during the block waits, and is answered.
    const blockedForMs = Date.now() - blockedAt;
    expect(blockedForMs).toBeGreaterThan(BLOCKED_MS - 1_000);
    while (Date.now() < busyAt + BUSY_MS) {
      await Promise.all([send('ada'), send('ben')]);
      await pace(1_000);
    }
    await ends;

    const { sessions } = await stack.client.listSessions();
    expect(sessions.map(({ id, status, restarts }) => ({ id, status, restarts }))).toEqual([
      { id: 'ada', status: 'ready', restarts: 0 },
      { id: 'ben', status: 'ready', restarts: 0 },
    ]);
    expect(workersOf(stack.gateway.pid)).toEqual(workers);
    expect(streams.flatMap((events) => [...events.all('disconnected'), ...events.all('ready')])).toEqual([]);
    expect(streams.map(({ ended }) => ended)).toEqual([false, false]);
    figure(
      'busy page',
      `0 restarts: a page blocked for ${seconds(blockedForMs)}, ${cores} cores busy for ${seconds(BUSY_MS)}`,
    );
  });
});

/** A process that does nothing but compute, and exits by itself. */
function busyProcess(ms: number) {
  return spawn(process.execPath, ['-e', `const end = Date.now() + ${ms}; while (Date.now() < end);`], {
    stdio: 'ignore',
  });
}
