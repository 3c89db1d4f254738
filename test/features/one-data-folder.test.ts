import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { ADA, BEN, browsersIn, fixture, workersOf } from '@chat-web/testing';
import { runGateway, Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

it('a second gateway on the same data folder exits at once with the reason; the first is not affected', async () => {
  await using stack = await Stack.start();
  const { client, gateway, dataDir } = stack;
  await stack.link('main', ADA);
  const events = await stack.listen('main');
  const processes = [...workersOf(gateway.pid), ...browsersIn(dataDir)];

  const second = await runGateway({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: dataDir });
  expect(second).toEqual({
    code: 1,
    stdout: '',
    stderr: `${dataDir} is in use by another gateway: stop it, or set CHAT_WEB_DATA_DIR to another folder\n`,
  });

  expect([...workersOf(gateway.pid), ...browsersIn(dataDir)]).toEqual(processes);
  expect(events.events).toEqual([]);
  expect(await client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready', restarts: 0 });
  await client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'undisturbed' });
});

it('a gateway without a cluster runs without the client of PostgreSQL, and its folder has no file of a cluster', async () => {
  const withoutPg = ['--import', fixture('without-pg.mjs')];
  expect(() => execFileSync(process.execPath, [...withoutPg, '--eval', "import('pg')"], { stdio: 'pipe' })).toThrow(
    'pg was loaded',
  );
  await using stack = await Stack.start({ settings: { NODE_OPTIONS: withoutPg.join(' ') } });
  expect(readFileSync(`/proc/${stack.gateway.pid}/environ`, 'utf8')).toContain('without-pg.mjs');
  await stack.link('main', ADA);
  await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'alone' });
  const folders = ['arriving', 'journal', 'moves', 'pages', 'sessions', 'spool', 'tmp', 'trash'];
  expect(readdirSync(stack.dataDir).sort()).toEqual([...folders, 'gateway.lock'].sort());
});
