import {
  ADA,
  figure,
  healthTimes,
  hostileBodies,
  hostileRequest,
  pace,
  peakMb,
  percentile,
  resetPeak,
  sendRaw,
} from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const AT_ONCE = 50;
const BODY_BYTES = 10_485_760;
const LOOK_MS = 10;
/** Long enough that one percent of the requests is more than one. */
const MIN_WATCH_MS = 3_000;
/** Four times what an idle machine needs. */
const P99_MS = 400;
/** Twice the documented limit: the engine decides when to collect garbage. */
const MEMORY_MB = 128;

describe('fifty hostile bodies of 10 MB at once', () => {
  const stack = sharedStack({ settings: { CHAT_WEB_LOG_LEVEL: 'info' } });
  beforeAll(() => stack.link('main', ADA));

  it.each(hostileBodies)('$name: the gateway answers others, and its memory stays low', async (body) => {
    const request = hostileRequest('main', body, BODY_BYTES);
    const beforeMb = resetPeak(stack.gateway.pid);
    const over = new AbortController();
    const measured = healthTimes(stack.gateway.url, over.signal);
    await pace(LOOK_MS);
    const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => sendRaw(stack.gateway.url, request)));
    await pace(MIN_WATCH_MS);
    over.abort();
    const times = await measured;
    const p99 = percentile(times, 0.99);
    const grownMb = peakMb(stack.gateway.pid) - beforeMb;
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
