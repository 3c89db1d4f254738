import { connect } from 'node:net';
import { listening, pace } from '@chat-web/testing';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { LongList } from '../long-list.ts';
import { jsonAnswer } from './json-answer.ts';
import { SlowReaders } from './server/slow-reader.ts';

const WINDOW_MS = 1_000;
const PAUSE_MS = 100;
const PAUSE_BYTES = 1_000_000;
const text = 'x'.repeat(25_000_000);

it('has a Content-Length, also for HEAD', async () => {
  const app = new Hono();
  app.get('/:length', (c) => jsonAnswer(c, { text: text.slice(0, Number(c.req.param('length'))) }, 201));
  for (const length of [0, 10, 21_833, 21_834, 21_835, 65_525, 65_526, 200_000]) {
    const answer = await app.request(`/${length}`);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('Content-Type')).toBe('application/json');
    const contentLength = length > 21_834 ? String(length + 11) : null;
    expect(answer.headers.get('Content-Length')).toBe(contentLength);
    expect(await answer.json()).toEqual({ text: text.slice(0, length) });
    expect(await (await app.request(`/${length}`, { method: 'HEAD' })).text()).toBe('');
  }
});

it('has a length in bytes', async () => {
  const app = new Hono();
  const answer = { text: '\u4e2d😀'.repeat(30_000) };
  app.get('/', (c) => jsonAnswer(c, answer, 200));
  const got = await app.request('/');
  expect(got.headers.get('Content-Length')).toBe(String(Buffer.byteLength(JSON.stringify(answer))));
  expect(await got.json()).toEqual(answer);
});

it('of a long list has its length, too', async () => {
  const app = new Hono();
  const rows = Array.from({ length: 3_000 }, (_, n) => ({ id: `${n} \u4e2d` }));
  app.get('/', (c) => {
    const list = new LongList();
    for (let n = 0; n < rows.length; n += 500) list.add(rows.slice(n, n + 500));
    return jsonAnswer(c, list, 200);
  });
  const got = await app.request('/');
  expect(got.headers.get('Content-Length')).toBe(String(Buffer.byteLength(JSON.stringify(rows))));
  expect(await got.json()).toEqual(rows);
});

it('reaches a slow reader', async () => {
  const app = new Hono();
  app.get('/', (c) => jsonAnswer(c, { text }, 200));
  const server = createAdaptorServer({ fetch: app.fetch });
  const slowReaders = new SlowReaders({ tickMs: WINDOW_MS / 4, ticks: 4, bytes: 500_000 });
  server.on('request', (_, response) => slowReaders.watch(response));
  const socket = connect(await listening(server), '127.0.0.1');
  const startedAt = Date.now();
  let received = 0;
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  for await (const bytes of socket as AsyncIterable<Buffer>) {
    const before = Math.floor(received / PAUSE_BYTES);
    received += bytes.length;
    if (Math.floor(received / PAUSE_BYTES) > before) await pace(PAUSE_MS);
  }
  await ended;
  expect(received).toBeGreaterThan(text.length);
  expect(Date.now() - startedAt).toBeGreaterThan(2 * WINDOW_MS);
  await new Promise((resolve) => server.close(resolve));
});
