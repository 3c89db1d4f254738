import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawnGateway } from '@chat-web/gateway/tools';
import { sendText } from '@chat-web/host';
import { ADA, BEN, eventually } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

it('an operator can stay on a build of the page that works, while the network serves another one', async () => {
  await using stack = await Stack.start({ build: '2026-07' });
  await stack.link('main', ADA);
  const versionNow = async () => (await stack.client.getSessionStatus({ id: 'main' })).pageVersion ?? '';
  const july = await versionNow();
  const saved = (version: string) => join(stack.dataDir, 'pages', `${version}.html`);
  await eventually(() => expect(existsSync(saved(july))).toBe(true));

  await stack.phones.configure({ build: '2026-10' });
  await stack.client.restartSession({ id: 'main' });
  await stack.untilStatus('main', 'ready');
  const october = await versionNow();
  expect(october).not.toBe(july);
  await stack.gateway.end();

  await stack.restartGateway({ CHAT_WEB_PAGE_VERSION: july });
  await stack.untilStatus('main', 'ready');
  expect(await versionNow()).toBe(july);
  const events = await stack.listen('main');
  await sendText(stack.client, { id: 'main', type: 'text', to: BEN, body: 'from July' });
  await stack.phones.send(BEN, { to: ADA, body: 'to July' });
  await events.until('message', ({ body }) => body === 'to July');
  await stack.client.restartSession({ id: 'main' });
  await stack.untilStatus('main', 'ready');
  expect(await versionNow()).toBe(july);
  await eventually(() => expect(stack.gateway.log.join('\n')).toContain(`"pageVersion":"${july}"`));
});

it('a saved page of another build is reported as long as it is used', async () => {
  await using stack = await Stack.start();
  await stack.link('main', ADA);
  const status = () => stack.client.getSessionStatus({ id: 'main' });
  const version = (await status()).pageVersion ?? '';
  const saved = (name: string) => join(stack.dataDir, 'pages', `${name}.html`);
  await eventually(() => expect(existsSync(saved(version))).toBe(true));
  copyFileSync(saved(version), saved('2.3000.1'));
  await stack.gateway.end();

  await stack.restartGateway({ CHAT_WEB_PAGE_VERSION: '2.3000.1' });
  await stack.untilStatus('main', 'ready');
  const found = { capability: 'page.version', reason: expect.stringContaining(`the page reports version ${version}`) };
  await eventually(async () => expect((await status()).degraded).toContainEqual(found));
});

it('a build that was not saved fails the start of the gateway, which reports where it looked for it', async () => {
  await using stack = await Stack.start();
  await stack.gateway.end();
  const settings = { CHAT_WEB_DATA_DIR: stack.dataDir, CHAT_WEB_PORT: '0' };
  const starting = spawnGateway({ ...settings, CHAT_WEB_PAGE_VERSION: '2.3000.1' });
  await expect(starting).rejects.toThrow(/code 78[\s\S]*CHAT_WEB_PAGE_VERSION.*2\.3000\.1\.html in .*pages/);
  const bad = spawnGateway({ ...settings, CHAT_WEB_PAGE_VERSION: '../../etc/passwd' });
  await expect(bad).rejects.toThrow(/code 78[\s\S]*CHAT_WEB_PAGE_VERSION must be a version/);
});
