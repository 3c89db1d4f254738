import { renameSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { listProcesses } from '@chat-web/gateway/tools';
import { ADA, BEN, eventually, figure, postgresPrograms } from '@chat-web/testing';
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
