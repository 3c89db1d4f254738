import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './helpers/eventually.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const MESSAGES = 80;
const TEXT = 'x'.repeat(60_000);

describe('event streams', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start();
    await stack.link('main', ADA);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('carry on for good readers while one reads nothing, which is cut off', async () => {
    const stalled = request(new URL('/sessions/main/events', stack.gateway.url)).on('error', () => {});
    stalled.end();
    const [response] = (await once(stalled, 'response')) as [IncomingMessage];
    response.pause().on('error', () => {});
    const good = await stack.listen('main');
    const open = async () => {
      const metrics = await (await fetch(new URL('/metrics', stack.gateway.url))).text();
      return Number(/^chat_web_streams_open (\d+)$/m.exec(metrics)?.[1]);
    };
    expect(await open()).toBe(2);
    for (let n = 0; n < MESSAGES; n += 1) await stack.phones.send(BEN, { to: ADA, body: `${n} ${TEXT}` });
    await eventually(() => expect(good.all('message')).toHaveLength(MESSAGES));
    expect(good.all('message').map(({ body }) => Number.parseInt(body, 10))).toEqual([...Array(MESSAGES).keys()]);

    // The gateway gives the stalled one up while it still reads nothing, and keeps the good one.
    await eventually(async () => expect(await open()).toBe(1));
    let received = 0;
    response.on('data', (bytes: Buffer) => {
      received += bytes.length;
    });
    const closed = new Promise((resolve) => response.once('close', resolve)); // It also has an error: no `once`.
    response.resume();
    await closed;
    expect({ isWhole: response.complete, received }).toEqual({ isWhole: false, received: expect.any(Number) });
    expect(received).toBeLessThan(MESSAGES * TEXT.length);

    await stack.phones.send(BEN, { to: ADA, body: 'one more' });
    await good.until('message', ({ body }) => body === 'one more');
    expect(good.ended).toBe(false);
  });
});
