import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileBodies, requestOf, sendRaw } from '../../../scripts/hostile-bodies.ts';
import { figure, percentile } from '../../helpers/figure.ts';
import { ADA, Stack } from '../../helpers/stack.ts';

const AT_ONCE = 50;
const BODY_BYTES = 10_485_760;
const LOOK_MS = 10;
/** Long enough that one percent of the requests is more than one. */
const LOOKED_AT_LEAST_MS = 3_000;
/** Four times what an idle machine needs. */
const P99_MS = 400;
/** Twice the documented limit: the engine decides when to collect garbage. */
const MEMORY_MB = 128;

describe('fifty hostile bodies of 10 MB at once', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start({ settings: { CHAT_WEB_LOG_LEVEL: 'info' } });
    await stack.link('main', ADA);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  const memoryMb = () =>
    Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${stack.gateway.pid}/status`, 'utf8'))?.[1]) / 1_024;

  it.each(hostileBodies)('$name: the gateway answers others, and its memory stays low', async (body) => {
    const request = requestOf('main', body, BODY_BYTES);
    writeFileSync(`/proc/${stack.gateway.pid}/clear_refs`, '5');
    const beforeMb = memoryMb();
    const over = new AbortController();
    const measured = healthTimes(stack.gateway.url, over.signal);
    await delay(LOOK_MS);
    const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => sendRaw(stack.gateway.url, request)));
    await delay(LOOKED_AT_LEAST_MS);
    over.abort();
    const times = await measured;
    const p99 = percentile(times, 0.99);
    const grownMb = memoryMb() - beforeMb;
    figure(
      'hostile bodies',
      `${AT_ONCE} x ${body.name}: /health p99 ${p99.toFixed(0)} ms, longest ${percentile(times, 1).toFixed(0)} ms, +${grownMb.toFixed(0)} MB`,
    );
    for (const status of statuses) expect(body.answers).toContain(status);
    // Of single-byte chunks, Node parses 64 KB per connection before any check runs: one long turn of the event loop.
    if (!body.chunkBytes) expect(p99).toBeLessThanOrEqual(P99_MS);
    expect(grownMb).toBeLessThanOrEqual(MEMORY_MB);
  });
});

async function healthTimes(url: string, until: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!until.aborted) {
    const startedAt = performance.now();
    await (await fetch(new URL('/health', url))).text();
    times.push(performance.now() - startedAt);
    await delay(LOOK_MS);
  }
  return times;
}
