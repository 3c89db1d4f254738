import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './helpers/eventually.ts';
import { rawRequest } from './helpers/raw-request.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

describe('event streams', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start();
    await stack.link('main', ADA);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('are plain lines with a comment at once, and say how to be treated', async () => {
    const { headers, text } = await new Promise<{ headers: Record<string, unknown>; text: string }>(
      (resolve, reject) => {
        const stream = request(new URL('/sessions/main/events', stack.gateway.url), (response) => {
          response.setEncoding('utf8').once('data', (chunk: string) => {
            stream.destroy();
            resolve({ headers: response.headers, text: chunk });
          });
        });
        stream.on('error', reject).end();
      },
    );
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(text).toBe('retry: 3000\n: connected\n\n');
  });

  it('answer HEAD without staying open', async () => {
    const { status, headers } = await rawRequest(stack.gateway.url, { method: 'HEAD', path: '/sessions/main/events' });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/event-stream' });
  });

  it('are refused with 429 beyond 16, and free again when one closes', async () => {
    const streams = await Promise.all(Array.from({ length: 16 }, () => stack.listen('main')));
    const refused = await rawRequest(stack.gateway.url, { path: '/sessions/main/events' });
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 429, code: 'too_many_streams' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    streams.pop()?.close();
    await eventually(async () => streams.push(await stack.listen('main')));
    for (const stream of streams) stream.close();
    await delay(100);
  });

  it('carry on for good readers while one reads nothing, which is cut off', async () => {
    const stalled = request(new URL('/sessions/main/events', stack.gateway.url));
    const response = await new Promise<{ pause(): void; destroyed: boolean; resume(): void }>((resolve, reject) => {
      stalled.on('response', resolve).on('error', reject).end();
    });
    response.pause();
    const good = await stack.listen('main');
    const text = 'x'.repeat(60_000);
    const count = 80;
    for (let n = 0; n < count; n += 1) await stack.phones.send(BEN, { to: ADA, body: `${n} ${text}` });
    await eventually(() => expect(good.all('message')).toHaveLength(count));
    expect(good.all('message').map(({ body }) => Number.parseInt(body, 10))).toEqual([...Array(count).keys()]);
    // What was in the socket may still be read; then the end comes, not the rest.
    await delay(5_500);
    response.resume();
    await eventually(() => expect(response.destroyed).toBe(true));
  });
});
