import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createCertificate, emptyWorkerOptions, listening, TestProxy, type TestProxyOptions } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import type { Page } from 'puppeteer';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BrowserProcess } from './browser-process.ts';
import { connectBrowser } from './connect-browser.ts';
import { launchOptions } from './launch-options.ts';
import { servePage } from './page-document.ts';
import { PageLink } from './page-link.ts';
import { ProxyLogin, proxyFault } from './proxy-login.ts';

const USER = 'ada';
const PASSWORD = 'p@ss: word';
const HOST = 'web.whatsapp.com';
const SITE = `https://${HOST}/`;

let certificate: Awaited<ReturnType<typeof createCertificate>>;
let site: number;
/** The requests that the site has got: the path, and the credentials that came with it. */
const got: string[] = [];

beforeAll(async () => {
  certificate = await createCertificate();
  const server = createServer({ key: certificate.key, cert: certificate.cert }, serve);
  server.on('upgrade', ({ url = '', headers }: IncomingMessage, socket: Duplex) => {
    got.push(`${url} ${headers.authorization}`);
    socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n');
  });
  site = await listening(server);
  return () => void server.close();
});
afterEach(() => void got.splice(0));

function serve({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  got.push(`${url} ${headers.authorization}`);
  const isScript = url.endsWith('.js');
  const type = isScript ? 'text/javascript' : 'text/html';
  response.writeHead(url === '/401' ? 401 : 200, {
    'Content-Type': type,
    ...(url === '/401' ? { 'WWW-Authenticate': 'Basic realm="site"' } : {}),
  });
  response.end(isScript ? `fetch('/from${url}').then(() => self.postMessage?.('done'))` : '<title>site</title>');
}

/** Of all browsers: each is ended only after the hooks of its test. */
const folder = sharedFolder();

/** A browser that uses a proxy, with these credentials, and what went wrong with them. */
async function browserBehind(proxy: TestProxy, credentials: { username?: string; password?: string } = {}) {
  const browserArgs = [`--ignore-certificate-errors-spki-list=${certificate.fingerprint}`];
  const options = {
    ...emptyWorkerOptions,
    sessionDir: join(folder, randomUUID()),
    headlessShell: process.env.CHAT_WEB_HEADLESS_SHELL !== undefined,
    browserArgs,
    proxy: { url: proxy.url(), address: '127.0.0.1', ...credentials },
  };
  const started = new BrowserProcess(launchOptions(options, process.env));
  onTestFinished(() => started.kill());
  const browser = await connectBrowser(started, () => true);
  const onRefused = vi.fn<(why: string) => void>();
  const login = new ProxyLogin(credentials, onRefused);
  await login.begin(browser);
  const [page] = await browser.pages();
  if (!page) throw new Error('the browser has no page');
  return { page, login, onRefused };
}

async function proxyFor(options: Partial<TestProxyOptions> = {}): Promise<TestProxy> {
  const to = { [`${HOST}:443`]: site };
  const proxy = await TestProxy.start({ scheme: 'http', to, certificate, ...options });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

/** Everything that a page can connect with: a request, a worker, a service worker and a socket. */
const connectAll = async (page: Page) => {
  await page.evaluate(`(async () => {
    await fetch('/request');
    const worker = new Worker('/worker.js');
    await new Promise((resolve) => { worker.onmessage = resolve; });
    await navigator.serviceWorker.register('/service-worker.js');
    await navigator.serviceWorker.ready;
    const socket = new WebSocket('wss://${HOST}/socket');
    await new Promise((resolve) => { socket.onerror = resolve; });
  })()`);
};

describe.each(['http', 'https'] as const)('a proxy with a password: %s', (scheme) => {
  it('is used for all connections, and no site gets the password', async () => {
    const proxy = await proxyFor({ scheme, credentials: `${USER}:${PASSWORD}` });
    const { page, login, onRefused } = await browserBehind(proxy, { username: USER, password: PASSWORD });
    await page.goto(SITE, { timeout: 30_000 });
    await login.pageLoaded(page);
    await connectAll(page);
    await vi.waitFor(() => expect(got).toContain('/from/service-worker.js undefined'), { timeout: 20_000 });
    const paths = ['/', '/request', '/worker.js', '/from/worker.js', '/service-worker.js', '/socket'];
    for (const path of paths) expect(got).toContain(`${path} undefined`);
    expect(await page.evaluate(`fetch('/401').then(({ status }) => status)`)).toBe(401);
    await page.goto(`${SITE}401`, { timeout: 30_000 }).catch(() => {});
    expect(got.filter((line) => !line.endsWith(' undefined'))).toEqual([]);
    expect(onRefused).not.toHaveBeenCalled();
    expect(proxy.asked.filter((line) => line.endsWith(' 407')).length).toBeLessThan(4);
  });

  it.each([
    ['a wrong password', { username: USER, password: 'wrong' }, 'it refuses the user or the password'],
    ['none', {}, 'it asks for a user and a password'],
  ])('is not used with %s, and says so', async (_what, credentials, why) => {
    const proxy = await proxyFor({ scheme, credentials: `${USER}:${PASSWORD}` });
    const { page, onRefused } = await browserBehind(proxy, credentials);
    await page.goto(SITE, { timeout: 30_000 }).catch(() => {});
    expect(onRefused).toHaveBeenCalledWith(why);
    expect(got).toEqual([]);
  });
});

it('a page that comes from no network has the password for its socket, too', async () => {
  const proxy = await proxyFor({ credentials: `${USER}:${PASSWORD}` });
  const { page, login, onRefused } = await browserBehind(proxy, { username: USER, password: PASSWORD });
  const link = await PageLink.open(page, 'const program = {};', { onSignal: () => {}, onDetached: () => {} });
  await servePage(link, { html: '<title>saved</title>', headers: {} });
  await page.goto(SITE, { timeout: 30_000 });
  expect(proxy.asked).toEqual([]);
  await login.pageLoaded(page);
  await page.evaluate(
    `new Promise((resolve) => { new WebSocket('wss://${HOST}/socket').onerror = resolve; }).then(() => {})`,
  );
  expect(got).toEqual(['/favicon.ico undefined', '/socket undefined']);
  expect(onRefused).not.toHaveBeenCalled();
});

describe.each(['http', 'socks5'] as const)('nothing goes around a proxy: %s', (scheme) => {
  it('neither names, nor loopback, nor WebRTC', async () => {
    const local = createHttpServer((_, response) => response.end('local'));
    const port = await listening(local);
    const udp = createSocket('udp4').bind(0, '127.0.0.1');
    await once(udp, 'listening');
    onTestFinished(() => {
      local.close();
      udp.close();
    });
    const [requests, datagrams] = [vi.fn(), vi.fn()];
    local.on('request', requests);
    udp.on('message', datagrams);

    const proxy = await proxyFor({ scheme });
    const { page } = await browserBehind(proxy);
    await page.goto(SITE, { timeout: 30_000 });
    const reached = (url: string) =>
      page.evaluate(
        `fetch('${url}', { mode: 'no-cors', signal: AbortSignal.timeout(5_000) }).then(() => true, () => false)`,
      );
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      expect(await reached(`https://${host}:${port}/`)).toBe(false);
    expect(await reached('https://other.example/')).toBe(false);
    const gathered = await page.evaluate(`(async () => {
      const connection = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udp.address().port}' }] });
      connection.createDataChannel('x');
      const found = [];
      connection.onicecandidate = ({ candidate }) => { if (candidate?.candidate) found.push(candidate.candidate); };
      await connection.setLocalDescription(await connection.createOffer());
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      return found;
    })()`);
    expect(gathered).toEqual([]);
    expect([requests.mock.calls.length, datagrams.mock.calls.length]).toEqual([0, 0]);
    const hosts = ['127.0.0.1', 'localhost', scheme === 'http' ? '[::1]' : '::1'].map((host) => `${host}:${port}`);
    for (const host of [...hosts, 'other.example:443']) expect(proxy.asked.join()).toContain(`${host} 502`);
  });
});

it.each([
  ['http', 403, 'ERR_TUNNEL_CONNECTION_FAILED'],
  ['socks5', 502, 'ERR_SOCKS_CONNECTION_FAILED'],
] as const)('a proxy that refuses the page is the cause: %s', async (scheme, status, error) => {
  const proxy = await proxyFor({ scheme });
  proxy.refusesWith = status;
  const { page } = await browserBehind(proxy);
  const thrown = await page.goto(SITE, { timeout: 30_000 }).catch(String);
  expect(proxyFault(String(thrown))).toBe(`the page was not loaded through it (${error})`);
  await proxy[Symbol.asyncDispose]();
  expect(proxyFault((await page.goto(SITE, { timeout: 30_000 }).catch(String)) as string)).toMatch(/PROXY|SOCKS/);
});
