import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayProcess, spawnGateway } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import type { InputOf } from '@chat-web/protocol';
import {
  ADA,
  browserAndWorkerIn,
  eventually,
  expectError,
  figure,
  JSON_TYPE,
  rawRequest,
  saveSession,
  temporaryFolder,
} from '@chat-web/testing';
import { EventLog, Stack } from '@chat-web/testing/stack';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';
let dataDir = '';
let gateway: GatewayProcess;

async function setUp(): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-web-keys-'));
  for (const id of ['main', 'shop-1', 'shop-2']) await saveSession(dataDir, id);
  gateway = await start();
}
async function tearDown(): Promise<void> {
  await gateway.end();
  await rm(dataDir, { recursive: true });
}
beforeAll(setUp);
// Each test starts without keys: those of the previous test are deleted, or all is set up again if it failed.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') {
    await tearDown();
    await setUp();
  } else for (const { id } of (await operator().listKeys()).keys) await operator().deleteKey({ keyId: id });
});
afterAll(tearDown);

const start = (settings: Readonly<Record<string, string>> = { CHAT_WEB_TOKEN: TOKEN }) =>
  spawnGateway({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: dataDir, CHAT_WEB_AUTO_START_SESSIONS: 'no', ...settings });
const as = (token: string) => createClient({ url: gateway.url, token }, { retries: 0 });
const operator = () => as(TOKEN);
const keyFile = () => join(dataDir, 'keys.json');
const shop: InputOf<'createKey'> = { name: 'The shop', sessions: ['shop-*'], scope: 'send' };
const listen = (token: string, id: string) => EventLog.open({ url: gateway.url, token }, id);
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('a key', () => {
  it('is shown once, listed without its secret, and stored as a hash in a file for its user only', async () => {
    const { key, ...made } = await operator().createKey({ ...shop, expiresAt: '2099-01-01T00:00:00+01:00' });
    expect(made).toMatchObject({
      name: 'The shop',
      sessions: ['shop-*'],
      scope: 'send',
      id: expect.stringMatching(/^key_/),
    });
    expect(made.expiresAt).toBe('2098-12-31T23:00:00.000Z');
    expect(await operator().listKeys()).toEqual({ keys: [made] });
    const stored = await readFile(keyFile(), 'utf8');
    expect(stored).toMatch(/"sha256:[0-9a-f]{64}"/);
    expect(stored).not.toContain(key);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(gateway.log.join('\n')).not.toContain(key);
    // The hash in the file grants no access.
    for (const hash of /sha256:([0-9a-f]{64})/.exec(stored) ?? [])
      await expect(as(hash).listSessions()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('shows only its own sessions, and survives restarts of the gateway until it is deleted', async () => {
    const { id, key } = await operator().createKey(shop);
    const seen = async () => (await as(key).listSessions()).sessions.map((session) => session.id);
    expect(await seen()).toEqual(['shop-1', 'shop-2']);
    await gateway.end();
    gateway = await start();
    expect(await seen()).toEqual(['shop-1', 'shop-2']);
    expect(await operator().deleteKey({ keyId: id })).toEqual({ id, status: 'removed' });
    await expect(seen()).rejects.toMatchObject({ code: 'unauthorized' });
    for (const unknown of [id, 'nobodys', 'a'.repeat(64)])
      await expect(operator().deleteKey({ keyId: unknown })).rejects.toMatchObject({ code: 'key_not_found' });
    for (const malformed of ['a b', 'a/b', 'a'.repeat(65), '\u0000'])
      await expect(operator().deleteKey({ keyId: malformed })).rejects.toMatchObject({ code: 'invalid_request' });
    await gateway.end();
    gateway = await start();
    await expect(seen()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await operator().listKeys()).toEqual({ keys: [] });
  });

  it('can read its own access, as the token can; without either the answer is 401', async () => {
    const { id, key, expiresAt } = await operator().createKey({ ...shop, expiresAt: inMs(60_000) });
    const { version } = await operator().getAccess();
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(await operator().getAccess()).toEqual({ id: 'token', scope: 'operator', sessions: ['*'], version });
    expect(await as(key).getAccess()).toEqual({ id, expiresAt, version, ...shop });
    await operator().deleteKey({ keyId: id });
    for (const invalid of [key, '']) await expect(as(invalid).getAccess()).rejects.toMatchObject({ status: 401 });
  });

  it('with a limit on sessions imports and starts no further one', async () => {
    const manage = { ...shop, scope: 'manage' } as const;
    const full = await operator().createKey({ ...manage, maxSessions: 2 });
    const roomy = await operator().createKey({ ...manage, maxSessions: 3 });
    await gateway.end();
    gateway = await start();
    expect(await as(full.key).getAccess()).toMatchObject({ maxSessions: 2 });
    const archive = Buffer.from('not an archive');
    const refused = { code: 'insufficient_resources', message: expect.stringContaining('maxSessions') };
    await expect(as(full.key).importSession({ id: 'shop-3', archive })).rejects.toMatchObject(refused);
    await expect(as(full.key).startSession({ id: 'shop-3' })).rejects.toMatchObject(refused);
    // The control: where there is room, the archive is read.
    const isRead = as(roomy.key).importSession({ id: 'shop-3', archive });
    await expect(isRead).rejects.toMatchObject({ code: 'invalid_archive' });
  });

  it('starts no session while its requests have stored too much; the operator does', async () => {
    await gateway.end();
    gateway = await start({
      CHAT_WEB_TOKEN: TOKEN,
      CHAT_WEB_JOURNAL_MAX_MB: '32',
      CHAT_WEB_BROWSER_PATH: '/bin/false',
    });
    const manage = { ...shop, scope: 'manage' } as const;
    const [full, other] = [await operator().createKey(manage), await operator().createKey(manage)];
    const note = (pairs: number, n: number) =>
      Object.fromEntries(Array.from({ length: pairs }, (_, at) => [`n${at}`, `${n}`.padEnd(500)]));
    // In two sessions: each has a share, too.
    const fill = async (pairs: number) => {
      for (let n = 0; ; n += 1)
        await as(full.key).setSessionMetadata({ id: `shop-${1 + (n % 2)}`, metadata: note(pairs, n) });
    };
    const tooMuch = { code: 'rate_limited', message: expect.stringContaining('with this key') };
    for (const pairs of [20, 1]) await expect(fill(pairs)).rejects.toMatchObject(tooMuch);
    await expect(as(full.key).startSession({ id: 'shop-3' })).rejects.toMatchObject(tooMuch);
    await expect(as(full.key).restartSession({ id: 'shop-1' })).rejects.toMatchObject(tooMuch);
    for (const { key } of [other, { key: TOKEN }])
      expect(await as(key).startSession({ id: 'shop-3' })).toMatchObject({ id: 'shop-3' });
    await operator().deleteSession({ id: 'shop-3' });
    await gateway.end();
    gateway = await start();
  });

  it('that is deleted ends its streams, and no others', async () => {
    const [gone, stays] = [await operator().createKey(shop), await operator().createKey(shop)];
    const its = [await listen(gone.key, 'shop-1'), await listen(gone.key, 'shop-2')];
    const others = [await listen(stays.key, 'shop-1'), await listen(TOKEN, 'shop-1'), await listen(TOKEN, 'main')];
    const startedAt = performance.now();
    await operator().deleteKey({ keyId: gone.id });
    await eventually(() => expect(its.map(({ ended }) => ended)).toEqual([true, true]));
    figure('revoked key', `streams of a deleted key end after ${Math.round(performance.now() - startedAt)} ms`);
    expect(others.map(({ ended }) => ended)).toEqual([false, false, false]);
    for (const stream of others) stream.close();
  });

  it('that expires is 401 from then on, and its streams end', async () => {
    const { id, key, expiresAt } = await operator().createKey({ ...shop, expiresAt: inMs(15_000) });
    const stream = await listen(key, 'shop-1');
    expect((await as(key).listSessions()).sessions).toHaveLength(2);
    await eventually(() => expect(stream.ended).toBe(true));
    const lateMs = Date.now() - Date.parse(expiresAt ?? '');
    figure('revoked key', `streams of a key that expires end after ${lateMs} ms`);
    expect(lateMs).toBeGreaterThanOrEqual(-5);
    await expect(as(key).listSessions()).rejects.toMatchObject({ code: 'unauthorized' });
    // It is listed until the next key is created, which removes it.
    expect((await operator().listKeys()).keys.map((one) => one.id)).toEqual([id]);
    const next = await operator().createKey(shop);
    expect((await operator().listKeys()).keys.map((one) => one.id)).toEqual([next.id]);
  });

  it('that is valid for years is not ended by the overflow of a timer', async () => {
    const { key } = await operator().createKey({ ...shop, expiresAt: inMs(400 * 86_400_000) });
    const stream = await listen(key, 'shop-1');
    await operator().createKey(shop);
    expect((await as(key).listSessions()).sessions).toHaveLength(2);
    expect(stream.ended).toBe(false);
    expect(gateway.log.join('\n')).not.toContain('TimeoutOverflowWarning'); // Such a timer fires again and again.
    stream.close();
  });

  it('is not created from invalid input, and the response repeats none of it', async () => {
    const secret = 'hunter2';
    const bad: object[] = [
      {},
      { ...shop, name: ' ' },
      { ...shop, name: `a\u0000${secret}` },
      { ...shop, name: 'x'.repeat(101) },
      { ...shop, sessions: [] },
      { ...shop, sessions: ['shop-?'] },
      { ...shop, sessions: ['.*'] },
      { ...shop, sessions: ['(a+)+$'] },
      { ...shop, sessions: [`../${secret}`] },
      { ...shop, sessions: ['*'.repeat(65)] },
      { ...shop, sessions: Array.from({ length: 101 }, () => 'a') },
      { ...shop, scope: 'operator' },
      { ...shop, scope: secret },
      { ...shop, expiresAt: '2020-01-01T00:00:00Z' },
      { ...shop, expiresAt: '2099-01-01' },
      { ...shop, expiresAt: '2099-02-31T00:00:00Z' },
      { ...shop, expiresAt: '9999-12-31T23:59:59-10:00' },
      { ...shop, name: 'a\u202eb' },
      { ...shop, expiresAt: secret },
      { ...shop, expiresAt: 4_102_444_800 },
      // A misspelt field would create a key that never expires.
      { ...shop, expires_at: '2099-01-01T00:00:00Z' },
      { ...shop, [secret]: 1 },
    ];
    const headers = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` };
    for (const body of bad) {
      const answer = await rawRequest(gateway.url, {
        method: 'POST',
        path: '/keys',
        headers,
        body: JSON.stringify(body),
      });
      expectError(answer, 400, 'invalid_request');
      expect(answer.text).not.toContain(secret);
    }
    expect(await operator().listKeys()).toEqual({ keys: [] });
  });

  it('is one of at most 500', async () => {
    await gateway.end();
    const many = Array.from({ length: 500 }, (_, n) => ({
      ...shop,
      id: `key_${String(n).padStart(12, '0')}`,
      createdAt: inMs(0),
      hash: `sha256:${String(n).padStart(64, '0')}`,
    }));
    await writeFile(keyFile(), JSON.stringify({ keys: many }));
    gateway = await start();
    await expect(operator().createKey(shop)).rejects.toMatchObject({ code: 'rate_limited', message: /delete one/ });
    await operator().deleteKey({ keyId: 'key_000000000007' });
    await operator().createKey(shop);
    expect((await operator().listKeys()).keys).toHaveLength(500);
    await tearDown();
    await setUp();
  });
});

describe('the file of the keys', () => {
  it.each(['', '{', '[]', '{"keys":[{}]}', '{"keys":[{"id":"key_1","hash":"sha256:1"}]}'])(
    'is not overwritten where it is %j: exit 78',
    async (text) => {
      using folder = temporaryFolder();
      const file = join(folder.path, 'keys.json');
      await writeFile(file, text);
      const started = start({ CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_DATA_DIR: folder.path });
      await expect(started).rejects.toThrow(/keys\.json/);
      await expect(started).rejects.toThrow(/code 78/);
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  // Without the folder, nothing can be written to it, even by root, which ignores file modes.
  const block = () => rename(dataDir, `${dataDir}.away`);
  const unblock = () => rename(`${dataDir}.away`, dataDir);

  it('that cannot be written revives no deleted key, and accepts no new one', async () => {
    const { id, key } = await operator().createKey(shop);
    const stream = await listen(key, 'shop-1');
    await block();
    await expect(operator().createKey(shop)).rejects.toMatchObject({ code: 'internal_error' });
    await expect(operator().deleteKey({ keyId: id })).rejects.toMatchObject({
      message: /after a restart.*[Dd]elete it again/,
    });
    await expect(as(key).listSessions()).rejects.toMatchObject({ code: 'unauthorized' });
    await eventually(() => expect(stream.ended).toBe(true));
    // A key that is created meanwhile does not bring it back either.
    await unblock();
    const { id: other } = await operator().createKey(shop);
    expect((await operator().listKeys()).keys.map((one) => one.id)).toEqual([other]);
    expect(await readFile(keyFile(), 'utf8')).not.toContain(id);
    const again = await operator().createKey(shop);
    await block();
    await expect(operator().deleteKey({ keyId: again.id })).rejects.toMatchObject({ code: 'internal_error' });
    await unblock();
    expect(await operator().deleteKey({ keyId: again.id })).toEqual({ id: again.id, status: 'removed' });
    expect((await operator().listKeys()).keys.map((one) => one.id)).toEqual([other]);
  });
});

it('an open gateway creates, lists and deletes no keys: a planted one would be valid once there is a token', async () => {
  const { id } = await operator().createKey(shop);
  await gateway.end();
  gateway = await start({});
  await eventually(() => expect(gateway.log.join('\n')).toContain('keys ignored'));
  expect(await as('').getAccess()).toMatchObject({ id: 'open', scope: 'operator', sessions: ['*'] });
  await expect(as('').createKey(shop)).rejects.toMatchObject({ code: 'insufficient_scope' });
  await expect(as('').listKeys()).rejects.toMatchObject({ code: 'insufficient_scope' });
  await expect(as('').deleteKey({ keyId: id })).rejects.toMatchObject({ code: 'insufficient_scope' });
  await gateway.end();
  gateway = await start();
  expect((await operator().listKeys()).keys).toHaveLength(1);
});

it('a stream shows the QR to keys that may link accounts, and to no others', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  const open = async (scope: 'read' | 'send' | 'manage') => {
    const { key } = await stack.client.createKey({ name: scope, sessions: ['ma*'], scope });
    return { key, client: createClient({ url: stack.gateway.url, token: key }, { retries: 0 }) };
  };
  const [reader, sender, manager] = [await open('read'), await open('send'), await open('manage')];
  const { qr } = await manager.client.startSession({ id: 'main' });
  const logs: EventLog[] = [];
  for (const { key } of [reader, sender, manager])
    logs.push(await EventLog.open({ url: stack.gateway.url, token: key }, 'main'));
  await logs[2]?.until('qr');
  await manager.client.restartSession({ id: 'main' }); // A new QR, for streams that were open before.
  await eventually(() => expect(logs[2]?.all('qr').length).toBeGreaterThan(1));
  for (const { client } of [reader, sender]) {
    await expect(client.getQr({ id: 'main' })).rejects.toMatchObject({ code: 'insufficient_scope' });
    expect(JSON.stringify(await client.getSessionStatus({ id: 'main' }))).not.toContain('data:image');
    expect(JSON.stringify(await client.listSessions())).not.toContain('data:image');
  }
  const fresh = (await manager.client.getQr({ id: 'main' })).qr;
  expect(qr).toBeDefined();
  await stack.phones.scan(ADA, fresh);
  for (const log of logs) await log.until('ready');
  expect(logs.map((log) => log.all('qr').length > 0)).toEqual([false, false, true]);
  for (const log of logs) log.close();
});

it('a request that waits for its session is refused once its key is deleted', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  await stack.link('main', ADA);
  const made = await Promise.all(
    ['gone', 'stays'].map((name) => stack.client.createKey({ name, sessions: ['main'], scope: 'manage' })),
  );
  const [gone, stays] = made.map(({ key }) => createClient({ url: stack.gateway.url, token: key }, { retries: 0 }));
  const { worker } = browserAndWorkerIn(stack.dataDir);
  process.kill(worker, 'SIGSTOP'); // It is killed when its time is up.
  const stopped = stack.client.stopSession({ id: 'main' });
  await stack.untilStatus('main', 'stopped');
  const outcomes = Promise.allSettled([
    gone?.deleteSession({ id: 'main' }),
    gone?.startSession({ id: 'main' }),
    stays?.setSessionMetadata({ id: 'main', metadata: { kept: 'yes' } }),
    stays?.startSession({ id: 'main' }),
  ]);
  await eventually(async () =>
    expect((await stack.client.getSessionStatus({ id: 'main' })).metadata).toEqual({ kept: 'yes' }),
  );
  await stack.client.deleteKey({ keyId: made[0]?.id ?? '' });
  await stopped;
  expect(await outcomes).toMatchObject([
    { reason: { code: 'unauthorized' } },
    { reason: { code: 'unauthorized' } },
    { status: 'fulfilled' },
    { status: 'fulfilled' },
  ]);
  await stack.untilStatus('main', 'ready');
});
