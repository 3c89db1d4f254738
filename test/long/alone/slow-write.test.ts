import {
  ADA,
  browsersIn,
  eventually,
  figure,
  pace,
  seconds,
  stillRunning,
  storageProcessesIn,
} from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

/** Far longer than a browser needs to end. */
const SLOW_WRITE_MS = 1_000;

it('a stopped session keeps the last writes of its page on a host that is slow to write', async () => {
  await using stack = await Stack.start();
  await stack.link('ada', ADA);
  const written = async () => (await stack.phones.pages()).map(({ lastWrite }) => lastWrite);
  for (const end of [() => stack.client.stopSession({ id: 'ada' }), () => stack.gateway.end('SIGTERM')]) {
    const lastWrite = `the last word, at ${Date.now()}`;
    for (const { id } of await stack.phones.pages()) await stack.phones.disturb(id, 'write', { value: lastWrite });
    await eventually(async () => expect(await written()).toEqual([lastWrite]));
    const storage = storageProcessesIn(stack.dataDir);
    expect(storage).toHaveLength(1);
    for (const pid of storage) process.kill(pid, 'SIGSTOP');
    const ended = end();
    await pace(SLOW_WRITE_MS);
    for (const pid of storage) process.kill(pid, 'SIGCONT');
    await ended;
    expect(browsersIn(stack.dataDir)).toEqual([]);

    if (stillRunning([stack.gateway.pid]).length === 0) await stack.restartGateway();
    else await stack.client.startSession({ id: 'ada' });
    await stack.untilStatus('ada', 'ready');
    await eventually(async () => expect(await written()).toEqual([lastWrite]));
  }
  figure('graceful stop', `2 of 2 last writes of a page kept, although writing took ${seconds(SLOW_WRITE_MS)}`);
});
