import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ADA,
  BEN,
  browsersIn,
  createCertificate,
  descendantsOf,
  eventually,
  logLines,
  TestProxy,
  type TestProxyOptions,
} from '@chat-web/testing';
import { archiveOf, move, Stack } from '@chat-web/testing/stack';
import { expectRefused, sharedStack } from '@chat-web/testing/story';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const USER = 'ada-session-de';
const PASSWORD = 'Pa5sw0rd@of:the proxy';
const CREDENTIALS = `${USER}:${PASSWORD}`;
const WRITTEN = `${USER}:${encodeURIComponent(PASSWORD)}`;
/** All forms in which the password could be written down. */
const SECRETS = [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(CREDENTIALS).toString('base64')];

const stack = sharedStack();
let certificate: Awaited<ReturnType<typeof createCertificate>>;

beforeAll(async () => {
  certificate = await createCertificate();
  await allow();
});

/** Restarts the gateway: it allows proxies on this machine, and its browsers the certificate of the test proxy. */
async function allow(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  await stack.gateway.end();
  const args = stack.simulator.browserArgs.map((arg) =>
    arg.startsWith('--ignore-certificate-errors-spki-list=') ? `${arg},${certificate.fingerprint}` : arg,
  );
  await stack.restartGateway({
    CHAT_WEB_PROXY_HOSTS: '127.0.0.0/8',
    CHAT_WEB_BROWSER_ARGS: JSON.stringify(args),
    ...settings,
  });
}

async function proxyFor(options: Partial<TestProxyOptions> = {}): Promise<TestProxy> {
  const { port } = stack.simulator;
  const to = { 'web.whatsapp.com:443': port, 'pps.whatsapp.net:443': port };
  const proxy = await TestProxy.start({ scheme: 'http', to, certificate, ...options });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

afterEach(async () => {
  await stack.client.deleteSession({ id: 'main' }).catch(() => {});
});

async function linked(proxy: string): Promise<void> {
  await stack.client.startSession({ id: 'main', proxy });
  await stack.link('main', ADA);
}

async function chats(): Promise<void> {
  const sent = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'out' });
  await stack.onPhone(BEN, sent.id);
  const events = await stack.listen('main', ['message']);
  await stack.phones.send(BEN, { to: ADA, body: 'in' });
  await events.until('message', ({ body }) => body === 'in');
}

const statusOf = () => stack.client.getSessionStatus({ id: 'main' });

/** The remote ends of all connections of the session's browser, apart from those of its pipes. */
function connectionsOfBrowser(): string[] {
  const inodes = new Set(
    browsersIn(`${stack.dataDir}/sessions`).flatMap((pid) => {
      try {
        return readdirSync(`/proc/${pid}/fd`).map(
          (fd) => /socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1],
        );
      } catch {
        return []; // It has ended, or closed the file.
      }
    }),
  );
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((kind) =>
    readFileSync(`/proc/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , , , , , , , inode]) => inode !== undefined && inodes.has(inode))
      .map(([, , remote = '']) => `${kind} ${Number.parseInt(remote.split(':')[1] ?? '', 16)}`),
  );
}

describe.each(['http', 'https', 'socks5'] as const)('a session with a proxy: %s', (scheme) => {
  const credentials = scheme === 'socks5' ? undefined : CREDENTIALS;
  const written = credentials && WRITTEN;

  it('links, sends and receives through it, also after a restart, and by no other way', async () => {
    const proxy = await proxyFor({ scheme, credentials });
    await linked(proxy.url(written));
    const shown = { url: proxy.url(), hasCredentials: credentials !== undefined };
    expect(await statusOf()).toMatchObject({ status: 'ready', proxy: shown });
    await chats();
    const before = proxy.carried;
    expect(before).toBeGreaterThan(0);
    await stack.client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    await chats();
    expect(proxy.carried).toBeGreaterThan(before);
    const ends = new Set(connectionsOfBrowser());
    expect([...ends]).toEqual([`tcp ${proxy.port}`]);
    // The browser asks for services of its maker, too.
    const others = proxy.asked.filter((line) => !/\.google(apis)?\.com[:/]/.test(line));
    expect(others.filter((line) => !/:443 (200|407)$/.test(line))).toEqual([]);
  });

  it('that is down at the start, and comes back, is tried until it works', async () => {
    const proxy = await proxyFor({ scheme, credentials });
    const { port } = proxy;
    await linked(proxy.url(written));
    await stack.client.stopSession({ id: 'main' });
    await proxy[Symbol.asyncDispose]();
    expect(await stack.client.startSession({ id: 'main' })).toMatchObject({
      status: 'starting',
      reason: 'PROXY_FAILED',
      message: 'the proxy of the session cannot be used: it accepts no connection (ECONNREFUSED)',
      nextAttemptAt: expect.any(String),
    });
    await proxyFor({ scheme, credentials, port });
    await stack.untilStatus('main', 'ready');
    await chats();
  });

  it('that dies while the session is ready disconnects it, and nothing is unlinked', async () => {
    const proxy = await proxyFor({ scheme, credentials });
    const { port } = proxy;
    await linked(proxy.url(written));
    const events = await stack.listen('main', ['disconnected', 'ready', 'qr']);
    await proxy[Symbol.asyncDispose]();
    await stack.untilStatus('main', 'disconnected');
    await proxyFor({ scheme, credentials, port });
    await stack.untilStatus('main', 'ready');
    await chats();
    expect(events.all('qr')).toEqual([]);
    expect(events.all('disconnected').map(({ reason }) => reason)).toEqual(['CONNECTION_LOST']);
  });
});

it.each([
  ['a wrong password', { credentials: CREDENTIALS }, `${USER}:wrong`, 'it refuses the user or the password'],
  ['no password', { credentials: CREDENTIALS }, '', 'it asks for a user and a password'],
  ['a refusal of the page', { status: 403 }, '', 'the page was not loaded through it (ERR_TUNNEL_CONNECTION_FAILED)'],
] as const)(
  'the status says what is wrong with a proxy: %s; the right one repairs it',
  async (_what, given, written, why) => {
    const credentials = 'credentials' in given ? given.credentials : undefined;
    const proxy = await proxyFor({ credentials });
    proxy.refusesWith = 'status' in given ? given.status : undefined;
    await stack.client.startSession({ id: 'main', proxy: proxy.url(written) });
    await eventually(async () =>
      expect(await statusOf()).toMatchObject({
        status: 'starting',
        reason: 'PROXY_FAILED',
        message: `the proxy of the session cannot be used: ${why}`,
      }),
    );
    proxy.refusesWith = undefined;
    await stack.client.startSession({ id: 'main', proxy: proxy.url(credentials && WRITTEN) });
    await stack.link('main', ADA);
  },
);

it('changes with a start, which restarts a session that runs; the same one restarts nothing', async () => {
  const [first, second] = [await proxyFor({ credentials: CREDENTIALS }), await proxyFor()];
  await linked(first.url(WRITTEN));
  await stack.client.startSession({ id: 'main', proxy: first.url(WRITTEN) });
  await stack.client.startSession({ id: 'main' });
  expect(await statusOf()).toMatchObject({ status: 'ready', restarts: 0 });
  await stack.client.startSession({ id: 'main', proxy: second.url() });
  await stack.untilStatus('main', 'ready');
  expect(await statusOf()).toMatchObject({ restarts: 1, proxy: { url: second.url(), hasCredentials: false } });
  expect(second.carried).toBeGreaterThan(0);
  await stack.client.startSession({ id: 'main', proxy: null });
  await stack.untilStatus('main', 'ready');
  expect((await statusOf()).proxy).toBeUndefined();
  await chats();
});

it('is refused on a private address unless the operator allows it, and with an invalid URL: nothing is started', async () => {
  await allow({ CHAT_WEB_PROXY_HOSTS: '' });
  onTestFinished(() => allow());
  const start = (proxy: string) => stack.client.startSession({ id: 'main', proxy });
  for (const url of ['http://127.0.0.1:3128', 'socks5://localhost:1080', 'http://169.254.169.254'])
    await expectRefused([start(url)], { code: 'url_not_allowed' });
  const invalid = await start(`socks5://${WRITTEN}@proxy.example:1080`).catch((error: unknown) => error);
  expect(invalid).toMatchObject({ code: 'invalid_request', issues: [{ path: 'proxy' }] });
  for (const secret of SECRETS) expect(JSON.stringify(invalid)).not.toContain(secret);
  expect(await stack.client.listSessions()).toEqual({ sessions: [] });
});

/** Where one of these texts is: the files below a folder, the log, and what other users see of the processes. */
async function placesOf(texts: readonly string[]): Promise<string[]> {
  const has = (bytes: Buffer | string) => texts.some((text) => bytes.includes(text));
  const entries = await readdir(stack.dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const { pid } of [{ pid: stack.gateway.pid }, ...descendantsOf(stack.gateway.pid)])
    paths.push(`/proc/${pid}/cmdline`, `/proc/${pid}/environ`);
  const found: string[] = [];
  for (const path of paths) if (has(await readFile(path).catch(() => ''))) found.push(path.replace(stack.dataDir, ''));
  if (has(stack.gateway.log.join('\n'))) found.push('the log');
  return found;
}

it('a password is in its own file, and in no log, journal, command line, environment, event or answer', async () => {
  const proxy = await proxyFor({ credentials: CREDENTIALS });
  await linked(proxy.url(WRITTEN));
  await chats();
  const { body } = await fetch(`${stack.address.url}/sessions/main/events?limit=1000&after=oldest`, {
    headers: { Accept: 'application/json' },
  });
  const answers = [
    JSON.stringify([await statusOf(), await stack.client.listSessions()]),
    await new Response(body).text(),
    await (await fetch(`${stack.address.url}/metrics`)).text(),
  ].join();
  for (const secret of SECRETS) expect(answers).not.toContain(secret);
  expect(await placesOf(SECRETS)).toEqual(['/session-settings.json']);
  // The search finds what is there: the address of the proxy is in a command line, and the account in other files.
  expect((await placesOf([`127.0.0.1:${proxy.port}`])).filter((path) => path.endsWith('cmdline'))).not.toEqual([]);
  expect((await placesOf(['"session":"main"'])).length).toBeGreaterThan(0);
  expect(logLines(stack.gateway.log).length).toBeGreaterThan(0);
  await stack.client.deleteSession({ id: 'main' });
  expect(await placesOf(SECRETS)).toEqual([]);
});

it('moves without its password: the session does not start elsewhere until it is given', async () => {
  const proxy = await proxyFor({ credentials: CREDENTIALS });
  await linked(proxy.url(WRITTEN));
  const archive = await archiveOf(stack, 'main');
  for (const secret of SECRETS) expect(archive.includes(secret)).toBe(false);
  expect(archive.includes(proxy.url())).toBe(true);
  await using other = await Stack.start({
    sharesSimulatorOf: stack,
    settings: { CHAT_WEB_PROXY_HOSTS: '127.0.0.0/8' },
  });
  await move(stack, other, 'main');
  expect(await other.client.getSessionStatus({ id: 'main' })).toMatchObject({
    reason: 'PROXY_FAILED',
    message: expect.stringContaining('did not move'),
    proxy: { url: proxy.url(), hasCredentials: false },
  });
  await other.client.startSession({ id: 'main', proxy: proxy.url(WRITTEN) });
  await other.untilStatus('main', 'ready');
  await move(other, stack, 'main');
  await stack.untilStatus('main', 'ready');
  expect(await statusOf()).toMatchObject({ proxy: { url: proxy.url(), hasCredentials: true } });
});
