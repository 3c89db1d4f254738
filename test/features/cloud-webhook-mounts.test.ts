import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type CloudEvent, type CloudWebhook, createCloudWebhook } from '@chat-web/host';
import { cloudWebhookApp } from '@chat-web/host/hono';
import { cloudDeliveries, listening, pace } from '@chat-web/testing';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';

const { messages, text } = cloudDeliveries;

const SECRET = 'the app secret';
const BODY = JSON.stringify(messages(text('wamid.1', 'Grüße')));

/** Listens, and resolves to the address. The server closes after the test. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function openedAt(server: Server): Promise<string> {
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${await listening(server)}`;
}

const served = (listener: RequestListener) => openedAt(createServer(listener));

const mounts: Readonly<Record<string, (webhook: CloudWebhook) => Promise<string>>> = {
  Hono: (webhook) => {
    const app = new Hono();
    app.route('/', cloudWebhookApp(webhook));
    return served(getRequestListener(app.fetch));
  },
  Express: (webhook) => {
    const app = express();
    app.use('/webhooks/chat', getRequestListener(webhook.handle)); // In front of body parsers.
    app.use(express.json());
    app.post('/other', (request, response) => void response.json(request.body));
    return served(app);
  },
  Fastify: async (webhook) => {
    const app = fastify();
    const listener = getRequestListener(webhook.handle);
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers(); // The raw bytes are needed, and are read by the handler.
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      scope.all('/webhooks/chat', async (request, reply) => {
        reply.hijack();
        await listener(request.raw, reply.raw);
      });
    });
    app.post('/other', async (request) => request.body);
    await app.listen({ port: 0, host: '127.0.0.1' });
    ends.push(() => app.close());
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  },
  'a server of Node': (webhook) => served(getRequestListener(webhook.fetch)),
};

function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const hex = createHmac('sha256', SECRET).update(body).digest('hex');
  return fetch(`${url}/webhooks/chat`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', 'X-Hub-Signature-256': `sha256=${hex}`, ...headers },
  });
}

describe.each(Object.entries(mounts))('mounted in %s', (name, mount) => {
  const start = async () => {
    const events: CloudEvent[] = [];
    const errors: unknown[] = [];
    const webhook = createCloudWebhook({
      verifyToken: 'v',
      appSecret: SECRET,
      onEvent: (event) => events.push(event),
      onError: (error) => errors.push(error),
    });
    return { url: await mount(webhook), webhook, events, errors };
  };

  it('answers the handshake', async () => {
    const { url } = await start();
    const query = 'hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=';
    const right = await fetch(`${url}/webhooks/chat?${query}v`);
    expect([right.status, await right.text()]).toEqual([200, '1158201444']);
    expect((await fetch(`${url}/webhooks/chat?${query}w`)).status).toBe(403);
  });

  it('verifies the raw bytes of a delivery, and passes on its events', async () => {
    const { url, webhook, events, errors } = await start();
    expect((await post(url, BODY)).status).toBe(200);
    expect((await post(url, BODY, { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` })).status).toBe(401);
    expect((await post(url, BODY, { 'X-Hub-Signature-256': '' })).status).toBe(401);
    await webhook.idle();
    expect(events).toEqual([expect.objectContaining({ name: 'message' })]);
    expect(errors).toEqual([]);
  });

  it('accepts deliveries of 3 MB, and refuses those above 4 MB', async () => {
    const { url, webhook, events } = await start();
    const body = (length: number) => JSON.stringify(messages(text('wamid.1', 'x'.repeat(length))));
    expect((await post(url, body(3 * 1_048_576))).status).toBe(200);
    expect((await post(url, body(4 * 1_048_576))).status).toBe(413);
    await webhook.idle();
    expect(events).toHaveLength(1);
  });

  it('survives senders that disconnect in the middle of a body', async () => {
    const { url, webhook, events, errors } = await start();
    const { port } = new URL(url);
    for (let index = 0; index < 20; index += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {}); // Expected here.
      const head = `POST /webhooks/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n`;
      socket.write(`${head}X-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n\r\n{"object":`);
      await once(socket, 'connect');
      await pace(5);
      if (index % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    expect((await post(url, BODY)).status).toBe(200);
    await webhook.idle();
    expect(events).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('refuses other methods, and does not affect other routes', async () => {
    const { url } = await start();
    const put = await fetch(`${url}/webhooks/chat`, { method: 'PUT', body: '{}' });
    expect([put.status, put.headers.get('Allow')]).toEqual([405, 'GET, POST']);
    if (name !== 'Express' && name !== 'Fastify') return;
    const headers = { 'Content-Type': 'application/json' };
    const other = await fetch(`${url}/other`, { method: 'POST', body: '{"a":1}', headers });
    expect(await other.json()).toEqual({ a: 1 });
  });
});

it('behind a body parser it reports that, instead of a wrong signature', async () => {
  const errors: unknown[] = [];
  const webhook = createCloudWebhook({ verifyToken: 'v', appSecret: SECRET, onError: (error) => errors.push(error) });
  const app = express();
  app.use(express.json());
  app.use('/webhooks/chat', getRequestListener(webhook.handle));
  expect((await post(await served(app), BODY)).status).toBe(500);
  expect(String(errors)).toContain('mount it before body parsers');
});
