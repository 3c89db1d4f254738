import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADA, BEN, eventually, pace, patternBytes } from '@chat-web/testing';
import { ownerPage } from '@chat-web/testing/browser';
import { Stack, stanzaOf } from '@chat-web/testing/stack';
import { expect, it, onTestFinished } from 'vitest';

const NAME = 'planted';
/** Makes the browser save files all the time: from the page's memory, and from its server. */
const ATTACK = `setInterval(() => {
  document.title = 'attacking';
  for (const href of [URL.createObjectURL(new Blob(['#!/bin/sh'])), '/robots.txt', 'data:text/plain,x'])
    for (const download of ['${NAME}.sh', '../../${NAME}.desktop', ''])
      Object.assign(document.createElement('a'), { href, download: download || '${NAME}' }).click();
}, 500)`;

it('a page cannot make the browser save files, not even during media downloads', async () => {
  const home = await mkdtemp(join(tmpdir(), 'chat-web-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  const places = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_DOWNLOAD_DIR: join(home, 'saved') };
  await using stack = await Stack.start({ settings: places, browserArgs: ['--remote-debugging-port=0'] });
  await stack.link('main', ADA);
  const version = (await stack.client.getSessionStatus({ id: 'main' })).pageVersion ?? '';
  const saved = join(stack.dataDir, 'pages', `${version}.html`);
  await eventually(() => expect(existsSync(saved)).toBe(true));
  await stack.gateway.end();
  const html = await readFile(saved, 'utf8');
  await writeFile(saved, `${html}<script>${ATTACK}</script>`);

  await stack.restartGateway({ CHAT_WEB_PAGE_VERSION: version });
  await stack.untilStatus('main', 'ready');
  const page = await ownerPage(stack.dataDir);
  await eventually(async () => expect(await page.title()).toBe('attacking'));
  await page.browser().disconnect();
  const events = await stack.listen('main');
  const bytes = Buffer.from(patternBytes(3_000_000));
  const media = { kind: 'document', base64: bytes.toString('base64'), mimeType: 'application/pdf' } as const;
  const sent = await stack.phones.send(BEN, { to: ADA, media });
  const { id } = await events.until('message', (message) => stanzaOf(message.id) === sent.id);
  for (let n = 0; n < 4; n += 1) {
    const { data } = await stack.client.getMedia({ id: 'main', messageId: id });
    expect(Buffer.from(await new Response(data).arrayBuffer()).equals(bytes)).toBe(true);
    await pace(500); // The page attacks at this interval, which nothing outside of it shows.
  }
  const found = await Promise.all([home, stack.dataDir].map((dir) => readdir(dir, { recursive: true })));
  expect(found.flat().filter((path) => path.includes(NAME) || /downloads?\//i.test(path))).toEqual([]);
});
