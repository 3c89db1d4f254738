import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type CloudEvent, type CloudWebhook, createCloudWebhook, createWebhookReceiver } from '@chat-web/host';
import { cloudWebhookApp } from '@chat-web/host/hono';
import { cloudDeliveries, eventually, listening, pace } from '@chat-web/testing';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';

const { messages, text } = cloudDeliveries;

const SECRET = 'the app secret';
const BODY = JSON.stringify(messages(text('wamid.1', 'Grüße')));
const WEBHOOK_SECRET = `whsec_${Buffer.from('a key that is long enough').toString('base64')}`;
const MB = 1_048_576;

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

/** Connections of strangers, who have no secret: each sends a part of a large body, and then hardly anything. */
async function occupy(url: string, count: number, headers: Readonly<Record<string, string>>) {
  const bytes = Math.min(4 * MB - 1, (40 * MB) / count);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST /webhooks/chat HTTP/1.1\r\nHost: a\r\nContent-Length: ${4 * MB}\r\n${lines.join('')}\r\n`;
  const { port } = new URL(url);
  const refused = new Set<number>();
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {}); // Refused ones are reset.
    socket.on('data', (answer) => {
      if (answer.includes(' 503 ')) refused.add(index);
    });
    socket.write(head);
    socket.write(Buffer.alloc(bytes, ' '));
    return socket;
  });
  const trickle = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(' ');
  }, 50);
  ends.unshift(async () => {
    clearInterval(trickle);
    for (const socket of sockets) socket.destroy();
  });
  await eventually(() => expect(refused.size).toBeGreaterThan(0)); // The memory is full.
  await pace(1_500); // They do not count as new any more.
  return refused;
}

describe.each([12, 100])('while %i strangers send slowly', (count) => {
  it.each([100_000, 1_500_000])('the provider delivers %i bytes', async (length) => {
    const events: CloudEvent[] = [];
    const webhook = createCloudWebhook({ verifyToken: 'v', appSecret: SECRET, onEvent: (event) => events.push(event) });
    const url = await served(getRequestListener(webhook.fetch));
    const refused = await occupy(url, count, { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` });
    const before = refused.size;
    expect((await post(url, JSON.stringify(messages(text('wamid.1', 'x'.repeat(length)))))).status).toBe(200);
    await webhook.idle();
    expect(events).toHaveLength(1);
    await eventually(() => expect(refused.size).toBeGreaterThan(before));
    expect(refused.size).toBeLessThan(count);
  });

  it.each([100_000, 1_500_000])('the gateway delivers %i bytes', async (length) => {
    const receiver = createWebhookReceiver({ secrets: WEBHOOK_SECRET, onEvent: () => {} });
    const url = await served(getRequestListener(receiver.fetch));
    const time = String(Math.floor(Date.now() / 1_000));
    const headersOf = (signature: string) => ({
      'webhook-id': 'e-1',
      'webhook-timestamp': time,
      'webhook-signature': signature,
    });
    await occupy(url, count, headersOf(`v1,${Buffer.alloc(32).toString('base64')}`));
    const body = JSON.stringify({ type: 'test', timestamp: 'now', data: 'x'.repeat(length) });
    const signature = new Webhook(WEBHOOK_SECRET).sign('e-1', new Date(Number(time) * 1_000), body);
    const answer = await fetch(`${url}/webhooks/chat`, { method: 'POST', body, headers: headersOf(signature) });
    expect(answer.status).toBe(204);
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
