import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, lchown, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { type GatewayProcess, spawnGateway } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import { gatewayAddress } from '@chat-web/host/node';
import { createCertificate } from '@chat-web/simulator';
import { canBeOthers, eventually, expectError, OTHER_USER, rawRequest, THIRD_USER } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { runGateway } from '@chat-web/testing/stack';
import { sharedGateway } from '@chat-web/testing/story';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const EX_CONFIG = 78;
const TOKEN = 'correct-horse';

const folder = freshFolder();
const socket = join(folder, 'gateway.sock');
let settings: Record<string, string>;
beforeEach(async () => {
  await chmod(folder, 0o755);
  settings = { CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: join(folder, 'data'), CHAT_WEB_SOCKET: socket };
});
const started: GatewayProcess[] = [];
afterEach(async () => {
  // Gateways left over from a failed test.
  await Promise.all(started.splice(0).map((gateway) => gateway.end('SIGKILL')));
});

async function start(settings: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  const gateway = await spawnGateway(settings);
  started.push(gateway);
  return gateway;
}

/** Connects as a user and group of the machine. Returns `connected`, or the error's code. */
function connectAs(user: number, group: number): string {
  const script = `require('net').connect(process.argv[1], () => { console.log('connected'); process.exit(); })
    .on('error', ({ code }) => console.log(code))`;
  const options = { uid: user, gid: group, cwd: '/', encoding: 'utf8' } as const;
  return spawnSync(process.execPath, ['-e', script, socket], options).stdout.trim();
}

describe('a unix socket', () => {
  it('is served beside the port, gives the same responses, and is removed with the gateway', async () => {
    const gateway = await start(settings);
    expect(gateway.url).toMatch(/^http:/);
    for (const url of [gateway.url, `unix:${socket}`]) {
      expect((await rawRequest(url, { path: '/health' })).body).toEqual({ ok: true, sessions: 0 });
      expectError(await rawRequest(url, { path: '/health', headers: { host: 'evil.example' } }), 403, 'forbidden');
      expectError(await rawRequest(url, { path: '/health', headers: { origin: 'null' } }), 403, 'forbidden');
    }
    expect((await lstat(socket)).mode & 0o777).toBe(0o600);
    expect(await gateway.end()).toEqual({ code: 0, signal: null });
    expect(existsSync(socket)).toBe(false);
  });

  it('replaces the port, requires the token, and serves the typed client', async () => {
    const gateway = await start({ ...settings, CHAT_WEB_PORT: 'off', CHAT_WEB_TOKEN: TOKEN });
    expect(gateway.url).toBe(`unix:${socket}`);
    expect(await readFile(`/proc/${gateway.pid}/net/unix`, 'utf8')).toContain(socket);
    expect(await createClient(gatewayAddress({ url: gateway.url, token: TOKEN })).listSessions()).toEqual({
      sessions: [],
    });
    await expect(createClient(gatewayAddress({ url: gateway.url })).listSessions()).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await gateway.end();
    await expect(createClient(gatewayAddress({ url: gateway.url, token: TOKEN })).listSessions()).rejects.toThrow(
      'ENOENT',
    );
  });

  it.runIf(canBeOthers())('accepts only the users that its mode and group allow', async () => {
    let gateway = await start(settings);
    expect(connectAs(OTHER_USER, OTHER_USER)).toBe('EACCES');
    await gateway.end();

    gateway = await start({ ...settings, CHAT_WEB_SOCKET_GROUP: String(THIRD_USER) });
    expect((await lstat(socket)).mode & 0o777).toBe(0o660);
    expect(connectAs(OTHER_USER, OTHER_USER)).toBe('EACCES');
    expect(connectAs(OTHER_USER, THIRD_USER)).toBe('connected');
    await gateway.end();

    gateway = await start({ ...settings, CHAT_WEB_SOCKET_MODE: '666' });
    expect(connectAs(OTHER_USER, OTHER_USER)).toBe('connected');
    await gateway.end();
  });

  it('is replaced if a killed gateway has left it behind, and refused while a process listens on it', async () => {
    const first = await start(settings);
    const second = await runGateway({ ...settings, CHAT_WEB_DATA_DIR: join(folder, 'second') });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`${socket} is in use`) });
    expect((await rawRequest(`unix:${socket}`, { path: '/health' })).status).toBe(200);
    await first.end('SIGKILL');
    expect(existsSync(socket)).toBe(true);
    const third = await start(settings);
    expect((await rawRequest(`unix:${socket}`, { path: '/health' })).status).toBe(200);
    await third.end();
  });

  it('replaces nothing else: a file, a link or a folder stays as it is', async () => {
    const victim = join(folder, 'victim');
    await writeFile(victim, 'precious');
    const put = [() => writeFile(socket, 'x'), () => symlink(victim, socket), () => mkdir(socket)];
    for (const make of put) {
      await make();
      const before = await lstat(socket);
      expect(await runGateway(settings)).toMatchObject({
        code: EX_CONFIG,
        stderr: expect.stringContaining('is not a socket'),
      });
      expect((await lstat(socket)).ino).toBe(before.ino);
      await rm(socket, { recursive: true });
    }
    expect(await readFile(victim, 'utf8')).toBe('precious');
  });

  it.runIf(canBeOthers())('is refused if another user has created it', async () => {
    const squatter = createServer().listen(socket);
    await once(squatter, 'listening');
    await chown(socket, OTHER_USER, OTHER_USER);
    expect(await runGateway(settings)).toMatchObject({
      code: EX_CONFIG,
      stderr: expect.stringContaining('another user'),
    });
    expect((await lstat(socket)).uid).toBe(OTHER_USER);
    squatter.close();
  });

  it('is refused in a folder that others can write to, or below one', async () => {
    const deeper = { ...settings, CHAT_WEB_SOCKET: join(folder, 'below', 'gateway.sock') };
    await mkdir(join(folder, 'below'));
    for (const mode of [0o777, 0o1777, 0o775]) {
      await chmod(folder, mode);
      const { code, stderr } = await runGateway(settings);
      expect({ code, stderr }).toEqual({
        code: EX_CONFIG,
        stderr: expect.stringContaining(`${folder} is open to others`),
      });
      if (mode !== 0o1777) expect((await runGateway(deeper)).code).toBe(EX_CONFIG);
    }
    await chmod(folder, 0o755);
    const missing = await runGateway({ ...settings, CHAT_WEB_SOCKET: join(folder, 'nowhere', 'gateway.sock') });
    expect(missing).toMatchObject({ code: EX_CONFIG, stderr: expect.stringContaining('does not exist') });
  });

  it.runIf(canBeOthers())('is refused behind a link that another user has created', async () => {
    const link = join(tmpdir(), `chat-web-link-${process.pid}`);
    await symlink(folder, link);
    const linked = { ...settings, CHAT_WEB_SOCKET: join(link, 'gateway.sock') };
    const gateway = await start(linked);
    await gateway.end();
    await lchown(link, OTHER_USER, OTHER_USER);
    expect(await runGateway(linked)).toMatchObject({ code: EX_CONFIG, stderr: expect.stringContaining(link) });
    await rm(link);
  });

  it.runIf(canBeOthers())('is refused in a folder of another user', async () => {
    await chown(folder, OTHER_USER, OTHER_USER);
    expect((await runGateway(settings)).code).toBe(EX_CONFIG);
    await chown(folder, 0, 0);
  });
});

describe('HTTPS', () => {
  let certFile: string;
  let keyFile: string;
  let cert: string;
  beforeEach(async () => {
    certFile = join(folder, 'cert.pem');
    keyFile = join(folder, 'key.pem');
    cert = await put('localhost');
    const { CHAT_WEB_SOCKET: _none, ...port } = settings;
    settings = { ...port, CHAT_WEB_TLS_CERT: certFile, CHAT_WEB_TLS_KEY: keyFile };
  });

  async function put(host: string): Promise<string> {
    const made = await createCertificate(host);
    await writeFile(certFile, made.cert);
    await writeFile(keyFile, made.key);
    return made.cert;
  }

  it('is the only protocol of the port, and only https origins are its own', async () => {
    const gateway = await start(settings);
    const { host } = new URL(gateway.url);
    expect(gateway.url).toMatch(/^https:/);
    const health = (origin: string) =>
      rawRequest(gateway.url, { path: '/health', headers: { host, origin }, ca: cert });
    expect((await health(`https://${host}`)).status).toBe(200);
    expectError(await health(`http://${host}`), 403, 'forbidden');
    expectError(await health('https://localhost'), 403, 'forbidden');
    await expect(rawRequest(gateway.url.replace('https', 'http'), { path: '/health' })).rejects.toThrow();
    await gateway.end();
  });

  it('reloads its certificate at SIGHUP without closing connections, and keeps the old one if invalid', async () => {
    const gateway = await start(settings);
    const { port } = new URL(gateway.url);
    const open = () => connectTls({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
    const fingerprint = async () => {
      const probe = open();
      await once(probe, 'secureConnect');
      const { fingerprint256 } = probe.getPeerCertificate();
      probe.destroy();
      return fingerprint256;
    };
    const logged = (what: string, after: number) =>
      eventually(() => expect(gateway.log.slice(after).join('\n')).toContain(what));
    const kept = open();
    await once(kept, 'secureConnect');
    const first = await fingerprint();

    await put('localhost');
    let before = gateway.log.length;
    process.kill(gateway.pid, 'SIGHUP');
    await logged('certificate read', before);
    const second = await fingerprint();
    expect(second).not.toBe(first);
    kept.end('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(kept)).toContain('"ok":true');

    const { key: another } = await createCertificate('localhost');
    for (const spoil of [() => writeFile(keyFile, another), () => writeFile(certFile, 'none'), () => rm(keyFile)]) {
      await spoil();
      before = gateway.log.length;
      process.kill(gateway.pid, 'SIGHUP');
      await logged('certificate not changed', before);
      expect(await fingerprint()).toBe(second);
    }
    await gateway.end();
  });

  it('answers successive requests on one connection, as it does without TLS', async () => {
    const gateway = await start(settings);
    const open = await start({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: join(folder, 'open') });
    for (const { url } of [gateway, open]) {
      const client = url.startsWith('https:') ? https : http;
      const agent = new client.Agent({ keepAlive: true, maxSockets: 1 });
      const body = '{"type": "text"}';
      const ask = (method: string, path: string) =>
        new Promise<{ status: number | undefined; isReused: boolean }>((resolve, reject) => {
          const headers = { 'content-type': 'application/json', host: 'localhost' };
          const options = { agent, method, headers, ca: cert, servername: 'localhost' };
          const sent = client.request(new URL(path, url), options, (answer: http.IncomingMessage) => {
            answer.resume().on('end', () => resolve({ status: answer.statusCode, isReused: sent.reusedSocket }));
          });
          sent.on('error', reject).end(method === 'POST' ? body : undefined);
        });
      await ask('GET', '/health');
      for (let n = 0; n < 60; n += 1) {
        expect(await ask('POST', '/sessions/x/messages')).toEqual({ status: 400, isReused: true });
        expect(await ask('GET', '/openapi.json')).toEqual({ status: 200, isReused: true });
      }
      agent.destroy();
    }
  });

  it('closes idle connections, as the unix socket beside it does', async () => {
    const gateway = await start({ ...settings, CHAT_WEB_SOCKET: socket });
    const port = Number(new URL(gateway.url).port);
    const connections = [...Array(20)].flatMap(() => [connect(port, '127.0.0.1'), connect(socket)]);
    const closed = connections.map((connection) =>
      once(
        connection.resume().on('error', () => {}),
        'close',
      ),
    );
    let idleClosed = 0;
    for (const connection of connections)
      connection.once('close', () => {
        idleClosed += 1;
      });
    const plain = connect(port, '127.0.0.1').on('error', () => {});
    plain.resume().write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(plain, 'close');
    expect(idleClosed).toBe(0); // Bytes that are not TLS need no timeout.
    await Promise.all(closed);
    await gateway.end();
  });

  it('does not delay the stop of the gateway for a connection without a TLS handshake', async () => {
    const gateway = await start(settings);
    const { port } = new URL(gateway.url);
    const idle = connect(Number(port), '127.0.0.1');
    await once(idle, 'connect');
    idle.on('error', () => {});
    expect((await rawRequest(gateway.url, { path: '/health', ca: cert })).status).toBe(200);
    const startedAt = performance.now();
    expect(await gateway.end()).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(7_000);
  });

  it('is refused at start without a matching certificate and key, in a line that names the wrong one', async () => {
    const { key: another } = await createCertificate('localhost');
    const { CHAT_WEB_TLS_KEY: _key, ...certOnly } = settings;
    expect(await runGateway(certOnly)).toMatchObject({
      code: EX_CONFIG,
      stderr: expect.stringContaining('or neither'),
    });
    await writeFile(keyFile, another);
    expect(await runGateway(settings)).toMatchObject({
      code: EX_CONFIG,
      stderr: expect.stringContaining('and its key'),
    });
    await rm(certFile);
    const { code, stderr } = await runGateway(settings);
    expect({ code, stderr }).toEqual({ code: EX_CONFIG, stderr: 'CHAT_WEB_TLS_CERT cannot be read (ENOENT)\n' });
    spawnSync('mkfifo', [certFile]);
    expect(await runGateway(settings)).toMatchObject({
      code: EX_CONFIG,
      stderr: 'CHAT_WEB_TLS_CERT cannot be read (not a regular file)\n',
    });
  });
});

describe('every response', () => {
  const open = sharedGateway();
  const guarded = sharedGateway({ settings: { CHAT_WEB_TOKEN: TOKEN } });

  it.each([
    ['200', 'GET /health HTTP/1.1\r\nHost: localhost'],
    ['200', 'HEAD /openapi.json HTTP/1.1\r\nHost: localhost'],
    ['308', 'GET /docs HTTP/1.1\r\nHost: localhost'],
    ['200', 'GET /metrics HTTP/1.1\r\nHost: localhost'],
    ['400', 'GET /sessions/a%20b/status HTTP/1.1\r\nHost: localhost'],
    ['403', 'GET /health HTTP/1.1\r\nHost: evil.example'],
    ['404', 'GET /nowhere HTTP/1.1\r\nHost: localhost'],
    ['405', 'OPTIONS /sessions HTTP/1.1\r\nHost: localhost'],
    ['415', 'POST /sessions/x/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0'],
    ['400', 'GET /health HTTP/1.1'],
    ['400', 'GET /health HTTP/1.1\r\nHost: a b'],
    ['417', 'GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: a miracle'],
    ['400', 'this is no request'],
    ['431', `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}`],
  ])('with status %s has the headers that keep other pages out: %.40j', async (status, head) => {
    expectGuarded(await answerTo(open.url, head), status);
  });

  it('without the token has them too, and so does an event stream', async () => {
    expectGuarded(await answerTo(guarded.url, 'GET /sessions HTTP/1.1\r\nHost: localhost'), '401');
    void rawRequest(open.url, { method: 'POST', path: '/sessions/streamed/start' }).catch(() => {});
    const stream = await eventually(async () => {
      const socket = await send(open.url, 'GET /sessions/streamed/events HTTP/1.1\r\nHost: localhost');
      const [bytes] = await once(socket, 'data');
      socket.destroy();
      expect(String(bytes)).toContain('text/event-stream');
      return String(bytes);
    });
    expectGuarded(stream, '200');
  });

  function expectGuarded(answer: string, status: string): void {
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [head = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^cross-origin-resource-policy: same-origin\r?$/im);
    expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
    expect(head).toMatch(/^x-frame-options: DENY\r?$/im);
    expect(head).toMatch(/^cache-control: .*no-store\r?$/im);
  }
});

async function answerTo(url: string, head: string): Promise<string> {
  return text(await send(url, `${head}\r\nConnection: close`));
}

async function send(url: string, head: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`${head}\r\n\r\n`);
  return socket;
}
