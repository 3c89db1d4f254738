import { availableParallelism } from 'node:os';
import { eventually, figure, healthTimes, logLines, percentile, seconds } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const SESSIONS = 12;
const ALL_READY_MS = 60_000;
const P99_MS = 100;

const accounts = Array.from({ length: SESSIONS }, (_, n) => ({
  id: `s${String(n).padStart(2, '0')}`,
  number: `120255502${String(n).padStart(2, '0')}`,
  name: `Person ${n}`,
}));
/** The first in the queue hangs: it holds a slot while all others boot. */
const [hung, ...well] = accounts;

describe('a boot with twelve saved sessions, of which one hangs', () => {
  it('starts the others in order, and responds throughout', async () => {
    await using stack = await Stack.start();
    const link = async ({ id, number, name }: (typeof accounts)[number]) => {
      await stack.phones.addAccount({ number, name });
      await stack.link(id, number);
    };
    for (let n = 0; n < SESSIONS; n += 2) await Promise.all(accounts.slice(n, n + 2).map(link));
    await stack.gateway.end();
    await stack.phones.fault(hung?.number ?? '', 'document');

    const startedAt = Date.now();
    await stack.restartGateway();
    const over = new AbortController();
    const latencies = healthTimes(stack.gateway.url, over.signal, (body) =>
      expect(body).toEqual({ ok: true, sessions: SESSIONS }),
    );
    await eventually(async () => {
      const { sessions } = await stack.client.listSessions();
      const ready = sessions.filter(({ status }) => status === 'ready').map(({ id }) => id);
      expect(ready).toEqual(well.map(({ id }) => id));
    }, 2 * ALL_READY_MS);
    const allReadyMs = Date.now() - startedAt;
    over.abort();

    const times = await latencies;
    const p99 = percentile(times, 0.99);
    const booting = maxBooting(stack.gateway.log);
    figure(
      'boot storm',
      `${well.length} of ${well.length} ready after ${seconds(allReadyMs)}, at most ${booting} booting at once; /health p99 ${p99.toFixed(0)} ms, longest ${percentile(times, 1).toFixed(0)} ms, of ${times.length}`,
    );
    expect(allReadyMs).toBeLessThanOrEqual(ALL_READY_MS);
    expect(booting).toBeLessThanOrEqual(availableParallelism());
    expect(p99).toBeLessThanOrEqual(P99_MS);
    const hanging = await stack.client.getSessionStatus({ id: hung?.id ?? '' });
    expect(hanging.status).toBe('starting');
  });
});

/** The most sessions that had a worker and were not ready yet at one time, according to the gateway's log. */
function maxBooting(log: readonly string[]): number {
  const booting = new Set<string>();
  let max = 0;
  for (const { msg, session = '', status } of logLines(log)) {
    if (msg === 'worker started') booting.add(session);
    if (msg === 'session status changed' && status === 'ready') booting.delete(session);
    max = Math.max(max, booting.size);
  }
  return max;
}
