import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { openEventStream } from '@chat-web/host';
import { ADA, BEN, eventually } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const MESSAGES = 80;
const READERS = 300;
const MAX_STREAMS = 256;
const TEXT = 'x'.repeat(60_000);

describe('event streams', () => {
  const stack = sharedStack();
  beforeAll(() => stack.link('main', ADA));

  it('continue for other readers while a stalled one is disconnected, which resumes without a loss', async () => {
    const position = await latest();
    const stalled = request(new URL(`/sessions/main/events?after=${position}`, stack.gateway.url)).on(
      'error',
      () => {},
    );
    stalled.end();
    const [response] = (await once(stalled, 'response')) as [IncomingMessage];
    response.pause().on('error', () => {});
    const good = await stack.listen('main');
    expect(await open()).toBe(2);
    for (let n = 0; n < MESSAGES; n += 1) await stack.phones.send(BEN, { to: ADA, body: `${n} ${TEXT}` });
    await eventually(() => expect(good.all('message')).toHaveLength(MESSAGES));
    const numbers = [...Array(MESSAGES).keys()];
    expect(good.all('message').map(({ body }) => Number.parseInt(body, 10))).toEqual(numbers);

    // The gateway closes the stalled stream after 30 s without a read, and keeps the other one.
    await eventually(async () => expect(await open()).toBe(1));
    let received = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    const closed = new Promise((resolve) => response.once('close', resolve)); // `once` would reject on its error.
    response.resume();
    await closed;
    expect({ isWhole: response.complete, length: received.length }).toEqual({
      isWhole: false,
      length: expect.any(Number),
    });
    expect(received.length).toBeLessThan(MESSAGES * TEXT.length);

    const whole = received.slice(0, received.lastIndexOf('\n\n') + 2);
    const numbersIn = (text: string) => [...text.matchAll(/"body":"(\d+) x/g)].map(([, n]) => Number(n));
    const [lastId = position] = [...whole.matchAll(/^id: (.*)$/gm)].map(([, id]) => id).slice(-1);
    const again = await openEventStream(stack.gateway, 'main', AbortSignal.timeout(20_000), { after: lastId });
    const rest: number[] = [];
    for await (const { name, data } of again) {
      if (name === 'message') rest.push(Number.parseInt(data.body, 10));
      if (rest.at(-1) === MESSAGES - 1) break;
    }
    expect([...numbersIn(whole), ...rest]).toEqual(numbers);

    await stack.phones.send(BEN, { to: ADA, body: 'one more' });
    await good.until('message', ({ body }) => body === 'one more');
    expect(good.ended).toBe(false);
  });

  it('of 300 readers are refused beyond 256, and harm neither the session nor its other readers', async () => {
    const good = await stack.listen('main');
    const before = await open();
    const abort = new AbortController();
    const url = new URL('/events', stack.gateway.url);
    const answers = await Promise.all(Array.from({ length: READERS }, () => fetch(url, { signal: abort.signal })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MAX_STREAMS - before);
    expect(refused).toHaveLength(READERS - MAX_STREAMS + before);
    for (const { headers } of refused) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await open()).toBe(MAX_STREAMS);
    await stack.phones.send(BEN, { to: ADA, body: 'to all of you' });
    await good.until('message', ({ body }) => body === 'to all of you');
    abort.abort();
    await eventually(async () => expect(await open()).toBe(before));
  });

  async function open(): Promise<number> {
    const metrics = await (await fetch(new URL('/metrics', stack.gateway.url))).text();
    return Number(/^chat_web_streams_open (\d+)$/m.exec(metrics)?.[1]);
  }

  /** The position of the newest event. */
  async function latest(): Promise<string> {
    const url = new URL('/sessions/main/events?after=oldest&limit=1000', stack.gateway.url);
    const { next } = (await (await fetch(url, { headers: { Accept: 'application/json' } })).json()) as { next: string };
    return next;
  }
});
