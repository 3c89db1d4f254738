import type { ChildProcess } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { deferred } from '@chat-web/protocol';
import { emptyWorkerOptions, fixture, untilEnded, withRoom } from '@chat-web/testing';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAfterChange } from '../after-change.ts';
import { LongList } from '../long-list.ts';
import { WorkerLink } from './worker-link.ts';
import { exitOf, startWorker } from './worker-process.ts';

const MAX_BLOCKED_MS = 50;
const log = pino({ enabled: false });
const children: ChildProcess[] = [];

function linkTo(worker: string, linkLog = log) {
  const { child, channel } = startWorker(fixture(`${worker}-worker.mjs`), {}, log);
  children.push(child);
  const { promise: booted, resolve: resolveBooted } = deferred();
  const link = new WorkerLink(channel, 'main', linkLog, {
    onEvent: () => {},
    onMessage: resolveBooted,
    onBroken: () => {},
  });
  link.send({ type: 'start', options: emptyWorkerOptions });
  void exitOf(child).then((how) => link.close(`exited (${how})`));
  return { link, booted };
}

afterEach(async () => {
  vi.useRealTimers();
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await untilEnded(child);
  }
});

describe('a call to a worker', () => {
  it('that dies fails at once with the exit reason, and so does every later one', async () => {
    const { link } = linkTo('crashing');
    const calls = [link.call('sendMessage', {}), link.call('sendMessage', {})];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: 'outcome_unknown',
        message: 'worker of session main exited (signal SIGKILL) during sendMessage',
      });
    }
    await expect(link.call('sendMessage', {})).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  it('that hangs fails after its time limit', async () => {
    const { link, booted } = linkTo('hanging');
    await booted;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const call = link.call('editMessage', {});
    const failed = expect(call).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: 'worker of session main did not respond within 30 s during editMessage',
    });
    vi.advanceTimersByTime(30_000);
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that does not report the outcome of a send fails with the id of the message', async () => {
    const { link } = linkTo('unsure');
    const calls = [link.call('sendMessage', {}), link.call('sendMessage', {})];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ code: 'outcome_unknown', id: 'true_1@c.us_3EB0' });
  });

  it('that sends invalid messages still returns its answer', async () => {
    const { link } = linkTo('babbling');
    await expect(link.call('sendMessage', {})).resolves.toMatchObject({ emoji: 'the real one' });
    await expect(link.call('sendMessage', {})).resolves.toMatchObject({ emoji: 'the real one' });
  });
});

it('a refusal by a worker may follow a change, and is marked for the audit log', async () => {
  const { link } = linkTo('babbling');
  const refused = await link.call('updatePrivacy', {}).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'not_permitted' });
  expect(isAfterChange(refused)).toBe(true);
});

describe('a long list', () => {
  it('arrives in parts, with all rows in order, while the event loop stays free', async () => {
    const { link, booted } = linkTo('listing');
    await booted;
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    const list = (await link.call('listContacts', {})) as LongList;
    loop.disable();
    const rows = JSON.parse(Buffer.concat([...list.json()]).toString()) as { id: string }[];
    expect(rows).toHaveLength(50_001);
    expect([rows[0]?.id, rows[49_999]?.id, rows[50_000]?.id]).toEqual(['1000000@c.us', '1049999@c.us', '2000000@c.us']);
    expect(loop.max / 1e6).toBeLessThan(withRoom(MAX_BLOCKED_MS));
  });

  it('is whole, whatever it lists, or an invalid response', async () => {
    const { link } = linkTo('listing');
    const list = (await link.call('listBlocked', {})) as LongList;
    expect(JSON.parse(Buffer.concat([...list.json()]).toString())).toHaveLength(501);
    await expect(link.call('listLabels', {})).rejects.toMatchObject({ code: 'client_failed' });
    expect(link.pending).toBe(0);
  });

  it('with an invalid row is an invalid response; the worker serves on', async () => {
    const { link } = linkTo('listing');
    await expect(link.call('listGroups', {})).rejects.toMatchObject({
      code: 'client_failed',
      message: 'the worker of session main returned an invalid response to listGroups',
    });
    await expect(link.call('listContacts', {})).resolves.toBeInstanceOf(LongList);
    expect(link.pending).toBe(0);
  });
});

it('a worker log line keeps its fields, and cannot pose as another session, the gateway or the audit', async () => {
  const lines: string[] = [];
  const linkLog = pino({ base: null }, { write: (line) => void lines.push(line) }).child({ session: 'main' });
  linkTo('logging', linkLog);
  await vi.waitFor(() => expect(lines.join('')).toContain('last line'), { timeout: 10_000 });
  const [first, ...others] = lines;
  expect(JSON.parse(first ?? '')).toEqual({
    level: 40,
    time: expect.any(Number),
    session: 'main',
    source: 'worker',
    msg: 'network did not respond',
    silenceSeconds: 300,
    isRetry: true,
    error: 'page 2.3000.1037000001: No LID for user <number>@c.us',
  });
  expect(others.filter((line) => line.includes('forged'))).toEqual([]);
  const invalid = others.filter((line) => line.includes('invalid IPC message'));
  expect(invalid).toHaveLength(10);
  expect(invalid.at(-1)).toContain('"field":"fields.<number>xxx');
  expect(invalid.at(-1)?.length).toBeLessThan(200);
});
