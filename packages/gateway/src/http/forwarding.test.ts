import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '@chat-web/protocol';
import { eventually, rawRequest } from '@chat-web/testing';
import { Hono } from 'hono';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../access/caller.ts';
import { HOP_HEADER } from '../cluster/hop.ts';
import { serve } from '../testing/fake-gateway.ts';
import { Calls } from './calls.ts';
import { errorResponse } from './error-response.ts';
import { atOwner, type ForwardingDependencies } from './forwarding.ts';
import type { ServerEnv } from './server-env.ts';

type Answer = (incoming: IncomingMessage, response: ServerResponse) => void;

const log = pino({ level: 'silent' });
const READ = { isNew: false, changes: false, timeoutMs: 1_000, isStatus: false };
const CHANGE = { ...READ, changes: true };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A gateway that has the session, as far as HTTP goes. It asks for bodies, unless `answer` refuses before. */
async function owner(answer: Answer, early: Answer | undefined = undefined) {
  const sockets = new Set<Socket>();
  const seen: string[] = [];
  const server: Server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    answer(incoming, response);
  });
  server.on('connection', (socket) => void sockets.add(socket));
  server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
    if (early) return early(incoming, response);
    response.writeContinue();
    server.emit('request', incoming, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** A gateway that forwards all requests of sessions to another one. */
async function front(address: string, caller: Partial<Caller> = {}) {
  const peer = { id: 'owner', name: 'owner', isLost: false, address, publicKey: undefined };
  const cluster: ForwardingDependencies['cluster'] = {
    isAlone: false,
    ownerOf: async () => peer,
    webhooksAt: () => peer,
    refreshWebhooks: async () => {},
    foreignView: () => undefined,
    refresh: async () => {},
    signHop: () => 'signed',
    verifyHop: async () => undefined,
    isMoving: () => false,
    moved: async () => true,
  };
  const calls = new Calls();
  const dependencies = { cluster, calls, isOwn: () => false, log };
  const app = new Hono<ServerEnv>();
  app.use(async (c, next) => {
    c.set('caller', { signal: new AbortController().signal, ...caller } as Caller);
    await next();
  });
  const own = () => new Response('own');
  app.get('/sessions/:id/read', atOwner(dependencies, READ, own));
  app.post('/sessions/:id/change', atOwner(dependencies, CHANGE, own));
  app.get('/sessions/:id/stream', atOwner(dependencies, { ...READ, timeoutMs: undefined }, own));
  app.onError((error, c) => errorResponse(c, error instanceof GatewayError ? error : new Error(String(error)), log));
  const { url, close } = await serve(app);
  closing.push(close);
  return { url, calls };
}

const echo: Answer = (incoming, response) => {
  text(incoming).then(
    (body) => response.end(`${incoming.url} ${body}`),
    () => response.destroy(),
  );
};
const post = (url: string, body: string) =>
  rawRequest(url, { method: 'POST', path: '/sessions/main/change', headers: { 'Content-Type': 'text/plain' }, body });

/** Writes bytes to a server, and reads until it closes the connection. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('a forwarded request', () => {
  it('is one request to the other gateway, whatever is in its body', async () => {
    const { address, seen } = await owner((...request) => void setTimeout(echo, 50, ...request));
    const { url } = await front(address);
    const inner = 'GET /sessions/main/read?smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
    const chunked = `Transfer-Encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    const head = (method: string, path: string) =>
      `${method} /sessions/main/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    expect(await exchange(url, head('GET', 'read') + chunked)).toContain('200 OK');
    const length = `Content-Length: ${inner.length}\r\n\r\n${inner}`;
    expect(await exchange(url, head('GET', 'read') + length)).toContain('200 OK');
    expect(await exchange(url, head('POST', 'change') + chunked)).toContain('smuggled');
    expect((await rawRequest(url, { path: '/sessions/main/read?next' })).text).toBe('/sessions/main/read?next ');
    expect(seen).toEqual([
      'GET /sessions/main/read',
      'GET /sessions/main/read',
      'POST /sessions/main/change',
      'GET /sessions/main/read?next',
    ]);
  });

  it('has an unknown outcome if the other gateway dies after it has asked for the body, and this one goes on', async () => {
    const { address } = await owner((incoming) => incoming.once('data', () => incoming.socket.destroy()));
    const { url, calls } = await front(address);
    for (let n = 0; n < 3; n += 1)
      expect((await post(url, 'x'.repeat(2_000_000))).body).toMatchObject({ code: 'outcome_unknown' });
    expect((await rawRequest(url, { path: '/sessions/main/read' })).body).toMatchObject({ code: 'host_unreachable' });
    await eventually(() => expect(calls.forwarded).toBe(0));
  });

  it('is refused as by the other gateway, before its body was asked for or meanwhile', async () => {
    const refuse: Answer = (_, response) => response.writeHead(413).end('{"code":"body_too_large"}');
    for (const { address } of [
      await owner(echo, refuse),
      await owner((incoming, response) => incoming.once('data', () => refuse(incoming, response))),
    ]) {
      const { url } = await front(address);
      const answer = await post(url, 'x'.repeat(5_000_000));
      expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    }
  });

  it('is sent again on another connection if the one that was kept has just been closed', async () => {
    const used = new Set<Socket>();
    // As a gateway that closes an idle connection just when a request arrives on it.
    const once: Answer = (incoming, response) => {
      if (used.has(incoming.socket)) return incoming.socket.destroy();
      used.add(incoming.socket);
      if (incoming.headers.expect !== undefined) response.writeContinue();
      echo(incoming, response);
    };
    const { address } = await owner(once, once);
    const { url } = await front(address);
    const read = () => rawRequest(url, { path: '/sessions/main/read' });
    const change = () => rawRequest(url, { method: 'POST', path: '/sessions/main/change' });
    for (const send of [read, read, () => post(url, 'body'), () => post(url, 'body'), change, change])
      expect((await send()).status).toBe(200);
  });

  it('with an empty body counts as one that may have arrived', async () => {
    const { address } = await owner((incoming) => incoming.socket.destroy());
    const { url } = await front(address);
    const headers = { 'Content-Length': '0' };
    const answer = await rawRequest(url, { method: 'POST', path: '/sessions/main/change', headers });
    expect(answer.body).toMatchObject({ code: 'outcome_unknown' });
  });

  it('ends with its caller', async () => {
    let [begun, ended] = [0, 0];
    const hang: Answer = (incoming) => {
      begun += 1;
      incoming.once('close', () => {
        ended += 1;
      });
    };
    const { address } = await owner(hang, hang);
    const { url, calls } = await front(address);
    const { port } = new URL(url);
    const requests = [
      'GET /sessions/main/stream HTTP/1.1\r\nHost: x\r\n\r\n',
      'POST /sessions/main/change HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
    ];
    for (const request of requests) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(request);
      const before = begun;
      await eventually(() => expect(begun).toBe(before + 1));
      socket.destroy();
    }
    await eventually(() =>
      expect({ begun, ended, forwarded: calls.forwarded }).toEqual({ begun: 2, ended: 2, forwarded: 0 }),
    );
  });

  it('is not carried out there if its signature is refused', async () => {
    const refuse: Answer = (_, response) => response.writeHead(403, { [HOP_HEADER]: 'refused' }).end('{}');
    const { address } = await owner(refuse);
    const { url } = await front(address);
    const answer = await rawRequest(url, { path: '/sessions/main/read' });
    expect(answer).toMatchObject({ status: 503, body: { code: 'host_unreachable' } });
  });

  it('for a stream ends when the caller loses access', async () => {
    const { address } = await owner((_, response) => void response.write('data'));
    const access = new AbortController();
    const { url } = await front(address, { signal: access.signal });
    const { body } = await fetch(`${url}/sessions/main/stream`);
    const read = body?.pipeTo(new WritableStream()).catch(() => 'cut off');
    await delay(50); // The body is being read by then.
    access.abort();
    expect(await read).toBe('cut off');
  });

  it('with an id that no session can have is refused here', async () => {
    const { address, seen } = await owner(echo);
    const { url } = await front(address);
    expect((await rawRequest(url, { path: '/sessions/a!b/read' })).text).toBe('own');
    expect(seen).toEqual([]);
  });
});
