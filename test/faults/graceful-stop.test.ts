import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { ADA, BEN, browsersIn, eventually, figure, seconds, withRoom, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

describe('SIGTERM', () => {
  it('lets sends in progress finish, ends streams with a comment, and keeps the last writes of the page', async () => {
    await using stack = await Stack.start({ simulator: { ackDelayMs: 8_000 } });
    await Promise.all([stack.link('ada', ADA), stack.link('ben', BEN)]);
    const streams = await Promise.all(['ada', 'ada', 'ben'].map((id) => openStream(stack, id)));
    const texts = Promise.all(streams.map((stream) => stream.text()));
    const late = await beginSend(stack, 'ada', { type: 'text', to: BEN, body: 'too late' });
    const bodies = Array.from({ length: 5 }, (_, n) => `on its way ${n}`);
    const sends: Promise<unknown>[] = [];
    for (const body of bodies) {
      sends.push(stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body }));
      await stack.untilInPage('ada', BEN, body);
    }
    await stack.phones.stall(ADA, true); // They stay in progress.
    const outcomes = Promise.allSettled(sends);
    let isDone = false;
    void outcomes.then(() => {
      isDone = true;
    });
    const written = async () => (await stack.phones.pages()).map((page) => page.lastWrite);
    const lastWrite = `the last word, at ${Date.now()}`;
    for (const { id } of await stack.phones.pages()) await stack.phones.disturb(id, 'write', { value: lastWrite });
    await eventually(async () => expect(await written()).toEqual([lastWrite, lastWrite]));
    expect(isDone).toBe(false);
    const startedAt = Date.now();
    const ended = stack.gateway.end('SIGTERM');
    await eventually(() => expect(fetch(`${stack.gateway.url}/health`)).rejects.toThrow());
    expect(await late.finish()).toMatchObject({ status: 503, body: { code: 'shutting_down' } });
    await stack.phones.stall(ADA, false);
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'fulfilled', value: { ack: 1 } });
    expect(await ended).toEqual({ code: 0, signal: null });
    const tookMs = Date.now() - startedAt;
    expect(tookMs).toBeLessThan(withRoom(20_000));
    for (const text of await texts) expect(text).toMatch(/\n: the gateway stops\n\n$/);
    expect(browsersIn(stack.dataDir)).toEqual([]);

    await stack.restartGateway();
    await stack.untilStatus('ada', 'ready');
    await eventually(async () => expect(await written()).toEqual([lastWrite, lastWrite]));
    const arrived = (await stack.phones.messages(BEN)).map(({ body }) => body);
    expect(arrived.filter((body) => body?.startsWith('on its way')).sort()).toEqual(bodies);
    expect(arrived).not.toContain('too late');
    figure(
      'graceful stop',
      `5 of 5 sends in progress finished, 1 late one refused, 3 of 3 streams ended with a comment, 2 of 2 last writes of pages kept, exit 0 after ${seconds(tookMs)}`,
    );
  });

  it('fails sends that would take too long, with the accurate code', async () => {
    await using stack = await Stack.start({ simulator: { ackDelayMs: 60_000 } });
    await stack.link('ada', ADA);
    const send = stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'slow' });
    const outcome = expect(send).rejects.toMatchObject({ code: 'outcome_unknown' });
    await stack.untilInPage('ada', BEN, 'slow');
    const startedAt = Date.now();
    expect(await stack.gateway.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const tookMs = Date.now() - startedAt;
    await outcome;
    expect(tookMs).toBeLessThan(withRoom(20_000));
    figure('graceful stop', `a send that takes a minute failed with outcome_unknown, exit 0 after ${seconds(tookMs)}`);
  });

  it('ends an idle gateway at once, and a second signal ends a busy one early', async () => {
    await using stack = await Stack.start({ simulator: { ackDelayMs: 60_000 } });
    await stack.link('ada', ADA);
    let startedAt = Date.now();
    expect(await stack.gateway.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const idleMs = Date.now() - startedAt;
    expect(idleMs).toBeLessThan(withRoom(5_000));

    await stack.restartGateway();
    await stack.untilStatus('ada', 'ready');
    const send = stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'slow' });
    const outcome = expect(send).rejects.toMatchObject({ code: 'outcome_unknown' });
    await stack.untilInPage('ada', BEN, 'slow');
    const workers = workersOf(stack.gateway.pid);
    startedAt = Date.now();
    const ended = stack.gateway.end('SIGTERM');
    await eventually(() => expect(fetch(`${stack.gateway.url}/health`)).rejects.toThrow());
    process.kill(stack.gateway.pid, 'SIGINT');
    expect(await ended).toEqual({ code: 0, signal: null });
    const secondSignalMs = Date.now() - startedAt;
    await outcome;
    expect(secondSignalMs).toBeLessThan(withRoom(6_000));
    expect(workers).toHaveLength(1);
    expect(browsersIn(stack.dataDir)).toEqual([]);
    figure(
      'graceful stop',
      `idle: exit 0 after ${seconds(idleMs)}; busy, with a second signal: after ${seconds(secondSignalMs)}`,
    );
  });
});

/** A session's event stream as raw bytes. */
async function openStream(stack: Stack, id: string): Promise<Response> {
  const stream = await fetch(`${stack.gateway.url}/sessions/${id}/events`);
  expect(stream.status).toBe(200);
  return stream;
}

/**
 * Connects and sends half of a request: a gateway that stops closes its port and its idle connections at once, and
 * only a request that has begun to arrive is still answered.
 */
async function beginSend(stack: Stack, id: string, message: object) {
  const body = JSON.stringify(message);
  const half = Math.floor(body.length / 2);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
  const sending = request(`${stack.gateway.url}/sessions/${id}/messages`, { method: 'POST', headers });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  await new Promise((resolve) => sending.write(body.slice(0, half), resolve));
  return {
    /** Sends the other half, and resolves with the answer. */
    finish: async () => {
      sending.end(body.slice(half));
      const [answer] = await answered;
      return { status: answer.statusCode, body: await json(answer) };
    },
  };
}
