import { readlinkSync } from 'node:fs';
import { ADA, browserAndWorkerIn, browsersIn, renderersIn } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { hasHeadlessShell } from '@chat-web/worker/browser';
import { expect, it } from 'vitest';

it.skipIf(!hasHeadlessShell(process.env))(
  'CHAT_WEB_HEADLESS_SHELL: a session is one headless shell with one page',
  async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    const { browser } = browserAndWorkerIn(stack.dataDir);
    expect(readlinkSync(`/proc/${browser}/exe`)).toMatch(/headless.shell/);
    expect(renderersIn(stack.dataDir)).toHaveLength(1);
    // A newer build silently ignores a flag that it no longer knows. This test would show it.
    expect(browsersIn(stack.dataDir).length).toBeLessThanOrEqual(4);
  },
);
