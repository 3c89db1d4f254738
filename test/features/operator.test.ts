import { createClient } from '@chat-web/host';
import type { EventData } from '@chat-web/protocol';
import { ADA, BEN, eventually, logLines, rawRequest, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

/** Log messages that show the story of a session. */
const STORY = ['session restarting', 'worker started', 'session status changed', 'request answered'];

describe('what an operator sees', () => {
  const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: 'sesame' } });
  beforeAll(() => stack.link('ada', ADA));

  const ask = (path: string, headers: Record<string, string> = { authorization: 'Bearer sesame' }) =>
    rawRequest(stack.gateway.url, { path, headers });

  it('in the status: memory and disk of the session, its restarts, and its last activity', async () => {
    const startedAt = Date.now();
    await stack.phones.send(BEN, { to: ADA, body: 'hello' });
    const { memory, restarts, lastEventAt } = await eventually(async () => {
      const status = await stack.client.getSessionStatus({ id: 'ada' });
      expect(status).toHaveProperty('lastEventAt');
      expect(status.diskBytes).toBeGreaterThan(100_000);
      expect(status.memory?.processes).toBeGreaterThan(4); // The renderer runs: this is not the memory during boot.
      return status;
    });
    expect(memory?.workerBytes).toBeGreaterThan(10e6);
    expect(memory?.browserBytes).toBeGreaterThan(50e6);
    expect(restarts).toBe(0);
    expect(Date.parse(lastEventAt ?? '')).toBeGreaterThanOrEqual(startedAt);
  });

  it('in the memory of the last hour', async () => {
    const { samples } = await stack.client.getSessionMemory({ id: 'ada' });
    expect(samples.length).toBeGreaterThan(0);
    expect(samples[0]?.workerBytes).toBeGreaterThan(10e6);
    expect(samples[0]?.browserBytes).toBeGreaterThan(10e6);
    await expect(stack.client.getSessionMemory({ id: 'nobody' })).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('in the metrics, only with the token: sessions, restarts, memory, queues, requests, the event loop', async () => {
    expect((await ask('/metrics', {})).status).toBe(401);
    await stack.client.restartSession({ id: 'ada' });
    const { status, headers, text } = await ask('/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    for (const line of [
      'chat_web_sessions{status="ready"} 1',
      'chat_web_session_restarts_total{session="ada",reason="REQUESTED"} 1',
      'chat_web_requests_total{operation="restartSession",status="200"} 1',
      'chat_web_starts_waiting 0',
      'chat_web_calls_pending 0',
      'chat_web_streams_open 0',
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).toMatch(/^chat_web_seconds_since_last_event\{session="ada"\} [\d.]+$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.]+$/m);
    expect(text).not.toContain('sesame');
    // Right after another scrape there is no new sample yet.
    expect((await ask('/metrics')).text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.]+$/m);
  });

  it('on the host, only with the token: capacity, use and sessions, equal to the metrics', async () => {
    await expect(createClient({ url: stack.gateway.url }).getHost()).rejects.toMatchObject({ status: 401 });
    const host = await eventually(async () => {
      const answer = await stack.client.getHost();
      expect(answer.samples.length).toBeGreaterThan(0);
      return answer;
    });
    const { text } = await ask('/metrics');
    for (const [status, count] of Object.entries(host.sessions))
      expect(text).toContain(`chat_web_sessions{status="${status}"} ${count}\n`);
    expect(host.sessions).toMatchObject({ ready: 1, failed: 0 });
    expect(Date.parse(host.at) - Date.parse(host.startedAt)).toBeGreaterThan(1_000);
    const [sample] = host.samples;
    expect(sample?.memoryAvailableBytes).toBeLessThanOrEqual(host.memoryTotalBytes);
    expect(sample?.diskFreeBytes).toBeLessThan(host.diskTotalBytes ?? 0);
    expect(sample?.journalBytes).toBeLessThan(host.journalMaxBytes);
    expect(sample?.cpuShare).toBeGreaterThan(0);
  });

  it('in /health/ready, without the token', async () => {
    expect(await ask('/health/ready', {})).toMatchObject({ status: 200, body: { ready: true } });
  });

  it('in the log: the story of a session in order, found by its id', async () => {
    const before = stack.gateway.log.length;
    await stack.client.restartSession({ id: 'ada' });
    // A line may be written a moment after its response.
    await eventually(() => {
      const lines = logLines(stack.gateway.log.slice(before)).filter(({ session }) => session === 'ada');
      const story = lines
        .filter(({ msg }) => STORY.includes(msg))
        .map(({ msg, status, reason }) => [msg, status ?? reason]);
      expect(story).toEqual([
        ['session restarting', 'REQUESTED'],
        ['session status changed', 'disconnected'],
        ['worker started', undefined],
        ['session status changed', 'authenticating'],
        ['session status changed', 'ready'],
        ['request answered', undefined],
      ]);
    });
  });

  it('in a restart by hand: a new worker, no QR, an open stream', async () => {
    const events = await stack.listen('ada');
    const before = workersOf(stack.gateway.pid);
    expect(await stack.client.restartSession({ id: 'ada' })).toEqual({ id: 'ada', status: 'ready' });
    expect(workersOf(stack.gateway.pid)).toHaveLength(1);
    expect(workersOf(stack.gateway.pid)).not.toEqual(before);
    await events.until('ready');
    expect(events.events.map(({ name }) => name)).toEqual(['disconnected', 'ready']);
    expect(events.all('disconnected')).toMatchObject([{ reason: 'REQUESTED' }]);
    await expect(stack.client.restartSession({ id: 'nobody' })).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

it('a timeline has each change of the status with its cause, restarts and next attempt, for readers that name it', async () => {
  await using stack = await Stack.start();
  await stack.link('ada', ADA);
  const statuses = async () => {
    const headers = { accept: 'application/json' };
    const path = '/sessions/ada/events?after=oldest&events=status';
    const { body } = await rawRequest(stack.gateway.url, { path, headers });
    return (body as unknown as { events: { data: EventData<'status'> }[] }).events.map(({ data }) => data);
  };
  const [worker] = workersOf(stack.gateway.pid);
  process.kill(worker ?? 0, 'SIGKILL');
  await eventually(async () =>
    expect((await statuses()).map(({ status }) => status)).toEqual([
      'starting',
      'qr',
      'authenticating',
      'ready',
      'disconnected',
      'disconnected',
      'disconnected',
      'authenticating',
      'ready',
    ]),
  );
  const cause = { reason: 'WORKER_EXITED', message: 'the worker exited: signal SIGKILL' };
  expect((await statuses()).slice(3)).toEqual([
    { status: 'ready', restarts: 0 },
    { status: 'disconnected', ...cause, restarts: 0 },
    { status: 'disconnected', ...cause, restarts: 0, nextAttemptAt: expect.stringMatching(/^20.*Z$/) },
    { status: 'disconnected', ...cause, restarts: 1 },
    { status: 'authenticating', restarts: 1 },
    { status: 'ready', restarts: 1 },
  ]);
  await stack.client.deleteSession({ id: 'ada' });
  await stack.client.startSession({ id: 'ada' });
  // It is shown at once, and stored a moment later.
  await eventually(async () => expect((await statuses()).map(({ status }) => status)).toEqual(['starting', 'qr']));
});

describe('a host that is short of a resource', () => {
  it('starts nothing, names the resource and what to do, and stays up', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_MIN_FREE_DISK_MB: '100000000' } });
    await expect(stack.client.startSession({ id: 'ada' })).rejects.toMatchObject({
      code: 'insufficient_resources',
      message: expect.stringMatching(/short of space: \d+ MB free, 100000000 MB needed .*CHAT_WEB_MIN_FREE_DISK_MB/),
    });
    expect(await stack.client.listSessions()).toEqual({ sessions: [] });
  });

  it('delays saved sessions, with the reason and the next attempt, and leaves running ones alone', async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    await stack.gateway.end();
    await stack.restartGateway({ CHAT_WEB_MIN_FREE_MEMORY_MB: '1000000' });
    await eventually(async () => {
      expect(await stack.client.getSessionStatus({ id: 'ada' })).toMatchObject({
        status: 'starting',
        reason: 'START_REFUSED',
        message: expect.stringMatching(/short of memory: \d+ MB available, 1000000 MB needed/),
        nextAttemptAt: expect.any(String),
        restarts: 0,
      });
    });
    expect(workersOf(stack.gateway.pid)).toEqual([]);
  });
});
