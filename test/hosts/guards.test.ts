import { renameSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { listProcesses } from '@chat-web/gateway/tools';
import { ADA, BEN, copyDataFolder, eventually, FreezingDisk, figure, postgresPrograms } from '@chat-web/testing';
import { Hosts, type Stack } from '@chat-web/testing/stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SECOND_MS = 1_000;
/** A probe every 5 s, and the time to kill all. */
const GONE_MS = 8_000;
/** Without a sign of their gateway, workers end their browsers. */
const SILENT_MS = 30_000;

describe.runIf(postgresPrograms())('a host that loses its data folder', () => {
  let hosts: Hosts;
  let stack: Stack;
  beforeAll(async () => {
    hosts = await Hosts.start(['a']);
    stack = hosts.at('a');
    await stack.link('main', ADA);
    await stack.link('shop', BEN);
  });
  afterAll(() => hosts?.[Symbol.asyncDispose]());

  const browsers = async () =>
    (await listProcesses()).filter(({ args }) => args.some((arg) => arg.includes(`${stack.dataDir}/sessions/`)));
  const untilGone = async (timeoutMs: number) => {
    const startedAt = performance.now();
    await eventually(async () => expect(await browsers()).toEqual([]), timeoutMs);
    return performance.now() - startedAt;
  };
  const untilBack = async () => {
    await stack.restartGateway();
    for (const id of ['main', 'shop']) await stack.untilStatus(id, 'ready');
    for (const number of [ADA, BEN])
      expect(await stack.phones.account(number)).toMatchObject({ devices: [{}], unlinks: [] });
  };

  it('because it is taken away kills all browsers, and continues when it is back', async () => {
    expect((await browsers()).length).toBeGreaterThan(1);
    const away = `${stack.dataDir}.away`;
    renameSync(stack.dataDir, away);
    const ms = await untilGone(GONE_MS * 2);
    expect(await stack.gateway.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(stack.gateway.log.join('\n')).toMatch(/all browsers killed/);
    figure('lost folder', `${(ms / SECOND_MS).toFixed(1)} s until no browser is left`);
    expect(ms).toBeLessThan(GONE_MS);
    await rm(stack.dataDir, { recursive: true, force: true });
    renameSync(away, stack.dataDir);
    await untilBack();
  });

  it('because another folder is in its place kills all browsers', async () => {
    const away = `${stack.dataDir}.away`;
    renameSync(stack.dataDir, away);
    await mkdir(stack.dataDir);
    await cp(`${away}/disk-probe`, `${stack.dataDir}/disk-probe`);
    await untilGone(GONE_MS * 2);
    await stack.gateway.exited;
    await rm(stack.dataDir, { recursive: true, force: true });
    renameSync(away, stack.dataDir);
    await untilBack();
  });

  it('because another gateway writes to it kills all browsers', async () => {
    await cp('/etc/hostname', `${stack.dataDir}/disk-probe`);
    await untilGone(GONE_MS * 2);
    expect(stack.gateway.log.join('\n')).toMatch(/another gateway uses it/);
    await stack.gateway.exited;
    await untilBack();
  });

  it('while its gateway is stopped for long ends the browsers, and starts none before its claim is confirmed', async () => {
    process.kill(stack.gateway.pid, 'SIGSTOP');
    await delay(SILENT_MS - 5 * SECOND_MS);
    expect((await browsers()).length).toBeGreaterThan(1);
    const ms = await untilGone(SILENT_MS);
    figure('silent gateway', `${((SILENT_MS - 5 * SECOND_MS + ms) / SECOND_MS).toFixed(0)} s until no browser is left`);
    // Meanwhile, another gateway has claimed the folder.
    hosts.postgres.execute('UPDATE chat_web.hosts SET epoch = epoch + 1');
    process.kill(stack.gateway.pid, 'SIGCONT');
    await expect(stack.gateway.exited).resolves.toMatchObject({ signal: 'SIGKILL' });
    const [, since = ''] = stack.gateway.log.join('\n').split('gateway was not running');
    expect(since).toContain('claimed by another gateway');
    expect(since).not.toContain('worker started');
    expect(await browsers()).toEqual([]);
    hosts.postgres.execute('UPDATE chat_web.hosts SET epoch = epoch - 1');
    await untilBack();
  });
});

describe.runIf(postgresPrograms())('a host whose disk does not answer', () => {
  it('for 20 s goes on; for 40 s kills all browsers, and continues after a restart', async () => {
    await using hosts = await Hosts.start([]);
    await using disk = await FreezingDisk.create();
    if (!disk) return;
    const stack = await hosts.add('a', { dataDir: disk.dataDir });
    await stack.link('main', ADA);
    const { ended: soon } = await disk.freeze(20);
    await soon;
    await stack.settled();
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready', restarts: 0 });
    await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'after a while' });

    const { ended: late } = await disk.freeze(40);
    await late;
    expect(await stack.gateway.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(stack.gateway.log.join('\n')).toMatch(/it has not answered for 30 s/);
    await stack.restartGateway();
    await stack.untilStatus('main', 'ready');
    expect(await stack.phones.account(ADA)).toMatchObject({ devices: [{}], unlinks: [] });
    const received = (await stack.phones.messages(BEN)).filter(({ body }) => body === 'after a while');
    expect(received).toHaveLength(1);
  });
});

describe.runIf(postgresPrograms())('a host with an exclusive disk', () => {
  it('continues on another machine without a confirmation, once nothing has written to the disk for 45 s', async () => {
    await using hosts = await Hosts.start(['witness']);
    const settings = { CHAT_WEB_CLUSTER_DISK: 'exclusive', CHAT_WEB_BROWSER_PATH: '/bin/false' };
    const stack = await hosts.add('a', { settings });
    await stack.client.listHosts(); // By now, it has told the cluster of its disk.
    await stack.gateway.end('SIGKILL');
    // Its disk is attached to another machine, where the folder has another inode.
    const moved = `${stack.dataDir}.moved`;
    await copyDataFolder(stack.dataDir, moved);
    await delay(20 * SECOND_MS); // Until the disk is attached there.
    const attachedAt = performance.now();
    await stack.restartGateway({ CHAT_WEB_DATA_DIR: moved });
    const seconds = (performance.now() - attachedAt) / SECOND_MS;
    figure('exclusive disk', `claimed after ${seconds.toFixed(0)} s`);
    expect(seconds).toBeGreaterThan(45);
    expect(seconds).toBeLessThan(60);
    expect(await hosts.view('a')).toMatchObject({ state: 'live' });
    await stack.gateway.end();
    await rm(moved, { recursive: true, force: true });
  });
});
