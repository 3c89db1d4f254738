import { getEventListeners, once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '@chat-web/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AddressGuard, ForbiddenAddressError } from './address-guard.ts';
import { guardedRequest, RequestTimeoutError } from './guarded-request.ts';

const received: string[] = [];
const server = createServer(({ method, url }, response) => {
  received.push(`${method} ${url}`);
  if (url === '/broken') {
    response.writeHead(200, { 'Content-Length': 10 }).write('begun');
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
  } else if (url === '/endless') response.writeHead(200).write('begun');
  else if (url !== '/silent') response.writeHead(302, { Location: '/next' }).end();
});
let origin: string;
beforeAll(async () => {
  origin = `http://127.0.0.1:${await listening(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const allowing = (...hosts: string[]) => ({
  guard: new AddressGuard(hosts),
  owner: undefined,
  headers: {},
  timeoutMs: 10_000,
});

it('is refused without a connection to an address that is not allowed', async () => {
  for (const host of [origin, origin.replace('127.0.0.1', 'localhost')])
    await expect(guardedRequest(new URL(host), allowing())).rejects.toBeInstanceOf(ForbiddenAddressError);
  expect(received).toEqual([]);
});

it('resolves with a redirect instead of following it', async () => {
  const response = await guardedRequest(new URL('/first', origin), { ...allowing('127.0.0.1'), body: 'x' });
  response.destroy();
  expect([response.statusCode, received.splice(0)]).toEqual([302, ['POST /first']]);
});

it('ends when its signal aborts', async () => {
  const options = { ...allowing('127.0.0.1'), signal: AbortSignal.timeout(50) };
  await expect(guardedRequest(new URL('/silent', origin), options)).rejects.toMatchObject({ code: 'ABORT_ERR' });
});

it('ends when its time is up, also while its response is read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const options = { ...allowing('127.0.0.1'), timeoutMs: 100 };
  const silent = guardedRequest(new URL('/silent', origin), options);
  const endless = await guardedRequest(new URL('/endless', origin), options);
  const ends = [silent, text(endless)].map((end) => expect(end).rejects.toBeInstanceOf(RequestTimeoutError));
  vi.advanceTimersByTime(100);
  await Promise.all(ends);
});

it('is not sent again when a reused connection breaks after the response has begun', async () => {
  received.splice(0);
  const agent = new Agent({ keepAlive: true });
  const options = { ...allowing('127.0.0.1'), agent, body: 'x' };
  await text(await guardedRequest(new URL('/first', origin), options));
  const response = await guardedRequest(new URL('/broken', origin), options);
  await expect(text(response)).rejects.toThrow();
  await text(await guardedRequest(new URL('/last', origin), options)); // What was sent before has arrived.
  expect(received.splice(0)).toEqual(['POST /first', 'POST /broken', 'POST /last']);
  agent.destroy();
});

it('leaves neither a timer nor a listener behind once its response is read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // Not the count of timers: code of earlier files shares this process, and has timers of its own.
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  const { signal } = new AbortController();
  const options = { ...allowing('127.0.0.1'), signal, timeoutMs: 3_600_000 };
  const response = await guardedRequest(new URL('/first', origin), options);
  const timers = set.mock.results.filter((_, call) => Number(set.mock.calls[call]?.[1]) > 3_500_000);
  expect([timers.length, getEventListeners(signal, 'abort').length]).toEqual([1, 1]);
  response.resume();
  await once(response, 'close');
  await vi.waitFor(() => expect(clear).toHaveBeenCalledWith(timers[0]?.value), { timeout: 10_000 });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
