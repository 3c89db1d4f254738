import { readlinkSync } from 'node:fs';
import { sendText } from '@chat-web/host';
import { findBrowser } from '@chat-web/worker/browser';
import { expect, it } from 'vitest';
import { browserAndWorkerIn, renderersIn } from './helpers/processes.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const isInstalled = findBrowser({ headlessShell: true, env: process.env }).endsWith('-headless-shell');

// Skipped where it is not installed; `npm run test:faults` runs more stories in it.
it.runIf(isInstalled)('CHAT_WEB_HEADLESS_SHELL: a session runs in the headless shell, and sends', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_HEADLESS_SHELL: 'true' } });
  await stack.link('ada', ADA);
  const { browser } = browserAndWorkerIn(stack.dataDir);
  expect(readlinkSync(`/proc/${browser}/exe`)).toMatch(/headless.shell/);
  expect(renderersIn(stack.dataDir)).toHaveLength(1);
  const { id } = await sendText(stack.client, { id: 'ada', type: 'text', to: BEN, body: 'from the shell' });
  expect(await stack.onPhone(BEN, id)).toMatchObject({ body: 'from the shell' });
});
