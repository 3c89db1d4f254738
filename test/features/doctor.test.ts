import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Build, builds, type Simulator, startSimulator } from '@chat-web/simulator';
import { ADA, BEN, browsersIn, eventually, figure, rounds } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import {
  type DoctorOptions,
  findingsOf,
  interruptAt,
  type LinkedPair,
  linkPair,
  resultsOf,
  runDoctor,
} from '@chat-web/testing/stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A doctor takes up to half a minute on each. */
const BUILDS = rounds<readonly Build[]>({ few: ['2026-04', '2026-10'], all: builds });
const LINKED_BUILDS = rounds<readonly Build[]>({
  few: ['2026-10'],
  all: ['2026-04', '2026-07', '2026-09', '2026-10'],
});

describe('doctor without an account', () => {
  let simulator: Simulator;
  const folder = sharedFolder();
  beforeAll(async () => {
    simulator = await startSimulator({ settings: { qrFirstMs: 1_500 } });
    return () => simulator.close();
  });

  const run = (args: readonly string[], options: DoctorOptions = {}) =>
    runDoctor(args, {
      settings: {
        CHAT_WEB_DATA_DIR: folder,
        CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
        // Settings that an operator may have: doctor's own gateway must start all the same.
        CHAT_WEB_LOG_LEVEL: 'silent',
        CHAT_WEB_TOKEN: 'of-the-service',
      },
      tmpDir: folder,
      ...options,
    });

  it.each(BUILDS)('reports whether machine and page work, on the page of %s', async (build) => {
    const { pageVersion } = await simulator.phones.configure({ build });
    const isNewest = build === builds.at(-1);
    const doctor = await run(['--json', ...(isNewest ? [] : ['--quick'])]);
    const found = findingsOf(doctor);
    const failed = [...found.values()].filter(({ result }) => result === 'fail');
    expect(failed).toEqual([]);
    expect(doctor.code).toBe(0);
    for (const check of ['node', 'browser', 'disk', 'memory', 'gateway', 'qr shown', 'session deleted', 'ended'])
      expect(found.get(check)).toMatchObject({ result: 'ok' });
    expect(found.get('page')).toMatchObject({ result: 'ok', detail: pageVersion });
    expect(found.get('qr refreshed')).toMatchObject({ result: isNewest ? 'ok' : 'skip' });
    expect(found.get('network')).toMatchObject({ result: 'skip' }); // It connects only to loopback.
    expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: true, page: pageVersion, notChecked: expect.any(String) });
    expect(doctor.stdout).not.toContain('data:image');
    expect(await readdir(folder)).toEqual([]);
    expect(browsersIn(folder)).toEqual([]);
    figure('doctor', `doctor on ${build}: QR after ${found.get('qr shown')?.ms} ms, ${found.size} findings`);
  });

  it('names the part without which a page cannot be linked, and does not wait for it', async () => {
    await simulator.phones.configure({ missingModules: ['WAWebConnModel'] });
    const doctor = await run([]);
    await simulator.phones.configure({ missingModules: [] });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^fail +qr shown /m);
    expect(doctor.stdout).toMatch(/^fail +page: link .*WAWebConnModel.*\n +→ .*CHAT_WEB_PAGE_VERSION/m);
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const doctor = await run([], interruptAt(/^ok +gateway/m));
    expect(doctor.code).toBe(130);
    expect(doctor.stdout).toContain('Interrupted');
    expect(doctor.stdout).not.toMatch(/^fail/m);
    expect(await readdir(folder)).toEqual([]);
    expect(browsersIn(folder)).toEqual([]);
  });

  it('reports errors in its command line and in the settings', async () => {
    const wrong = await run(['--to', 'Ben', '--session', 'main']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^--to must be a phone number/);
    const bad = await runDoctor([], { settings: { CHAT_WEB_PORT: 'many' } });
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^fail +settings +CHAT_WEB_PORT must be a whole number/m);
  });
});

describe('doctor with a linked session', () => {
  let pair: LinkedPair;
  beforeAll(async () => {
    pair = await linkPair();
  });
  afterAll(() => pair.stack[Symbol.asyncDispose]());

  it.each(LINKED_BUILDS)('passes every check, on the page of %s', async (build) => {
    const { stack, group } = pair;
    await stack.phones.configure({ build });
    await stack.client.restartSession({ id: 'ben' });
    const earlier = new Set((await stack.phones.messages(BEN)).map(({ id }) => id));
    const doctor = await pair.run(pair.all);
    const found = findingsOf(doctor);
    expect(resultsOf(found, 'fail', 'warn', 'skip')).toEqual([]);
    expect(doctor.code).toBe(0);
    const kinds = ['image', 'video', 'audio', 'document', 'sticker'];
    for (const check of [
      'gateway',
      'session main',
      'session ben',
      'restart and reload',
      'page',
      'contract',
      'account',
      'chats',
      'contacts',
      'groups',
      'pictures',
      'own number exists',
      'send text',
      'acks',
      'reaction',
      'edit',
      'delete for everyone',
      'receive text',
      'read by a send',
      'limits',
      ...kinds.flatMap((kind) => [`send ${kind}`, `download ${kind} sent`]),
      ...kinds.flatMap((kind) => [`receive ${kind}`, `download ${kind} received`]),
      'status text',
      'reply to a status',
      'status text deleted',
      'status image',
      'status image deleted',
      'group known',
      'group text',
      'group text deleted',
      'memory at ready',
      'memory later',
      'restarts',
      'dialogs',
    ])
      expect(found.get(check), check).toMatchObject({ result: 'ok' });
    for (const kind of kinds) expect(found.get(`download ${kind} received`)?.detail).toMatch(/ bytes, equal$/);
    expect(found.get('pictures')?.detail).toMatch(/: 1 present, /);

    // Others see only what was announced, and what had to be deleted is gone.
    const now = await stack.phones.messages(BEN, { with: ADA });
    const seen = now.filter(({ id, fromMe }) => !fromMe && !earlier.has(id));
    expect(seen.map(({ type }) => type).sort()).toEqual([...kinds, 'revoked', 'text', 'text'].sort());
    expect(found.get('test ids')?.result).toBe('note');
    expect(await stack.phones.statuses(ADA)).toEqual([]);
    for (const secret of [ADA, BEN, group.slice(0, 18), 'a-token', 'data:image'])
      expect(doctor.stdout).not.toContain(secret);
    figure(
      'doctor',
      `doctor with a session on ${build}: ${found.size} findings, ready after ${found.get('restart and reload')?.ms} ms`,
    );
  });

  it('checks the login page that is pinned, and leaves the folder of saved pages as it is', async () => {
    const saved = join(pair.stack.dataDir, 'pages');
    const { pageVersion } = await pair.stack.phones.configure({ build: '2026-07' });
    await pair.stack.client.restartSession({ id: 'main' });
    const before = await eventually(async () => {
      const names = await readdir(saved);
      expect(names).toContain(`${pageVersion}.html`);
      return names;
    });
    await pair.stack.phones.configure({ build: '2026-10' });
    const pin = (version: string) =>
      runDoctor(['--quick'], { settings: { ...pair.settings, CHAT_WEB_PAGE_VERSION: version } });
    expect((await pin(pageVersion)).stdout).toContain(`${pageVersion}, as CHAT_WEB_PAGE_VERSION says`);
    expect((await pin('2.3000.1')).stdout).toMatch(/^fail +gateway .* there is no 2\.3000\.1\.html in /m);
    expect(await readdir(saved)).toEqual(before);
  });

  it('does nothing visible to others, and does not end the session, without consent', async () => {
    const before = await pair.stack.phones.messages(BEN);
    const { restarts } = await pair.stack.client.getSessionStatus({ id: 'main' });
    const doctor = await runDoctor(['--session', 'main', ...pair.all], { settings: pair.settings });
    const found = findingsOf(doctor);
    for (const check of ['restart and reload', 'send', 'receive', 'status feed', 'group'])
      expect(found.get(check)).toMatchObject({ result: 'skip', detail: expect.stringContaining('--yes') });
    expect(doctor.code).toBe(0);
    expect(await pair.stack.phones.messages(BEN)).toEqual(before);
    expect((await pair.stack.client.getSessionStatus({ id: 'main' })).restarts).toBe(restarts);
  });

  it('deletes what it has posted when it is interrupted', async () => {
    await pair.stack.phones.configure({ ackDelayMs: 1_500 });
    const doctor = await pair.run(['--gateway', pair.stack.gateway.url, '--status'], interruptAt(/^skip +receive/m));
    await pair.stack.phones.configure({ ackDelayMs: 20 });
    expect(doctor.code).toBe(130);
    expect(doctor.stdout).toMatch(/^ok +status text deleted/m);
    expect(doctor.stdout).not.toMatch(/status image/);
    expect(await pair.stack.phones.statuses(ADA)).toEqual([]);
  });

  it('starts a gateway on the data folder where none runs, and ends it, also if interrupted', async () => {
    const inUse = await pair.run(['--watch', '0']);
    expect(inUse.stdout).toMatch(/^fail +gateway .*in use by another gateway.*\n +→ .*--gateway/m);
    await pair.stack.gateway.end();

    const interrupted = await pair.run(['--watch', '1'], interruptAt(/^ok +session main/m));
    expect(interrupted.code).toBe(130);
    expect(interrupted.stdout).toMatch(/^ok +ended /m);
    expect(browsersIn(pair.stack.dataDir)).toEqual([]);

    const whole = await pair.run(['--watch', '0', '--json']);
    const found = findingsOf(whole);
    expect(resultsOf(found, 'fail', 'warn')).toEqual([]);
    expect(whole.code).toBe(0);
    for (const check of ['gateway', 'session main', 'restart and reload', 'contract', 'restarts', 'ended'])
      expect(found.get(check), check).toMatchObject({ result: 'ok' });
    expect(browsersIn(pair.stack.dataDir)).toEqual([]);
    await pair.stack.restartGateway();
    await eventually(() => pair.stack.untilStatus('main', 'ready', 100));
  });
});
