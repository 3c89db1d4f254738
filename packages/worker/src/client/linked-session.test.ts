import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerEvent } from '@chat-web/protocol';
import { emptyWorkerOptions, eventually } from '@chat-web/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { BrowserProcess } from './browser-process.ts';
import { launchOptions } from './launch-options.ts';
import { LinkedSession } from './linked-session.ts';

it('a session fails as with a crashed page if the browser detaches from its page', async () => {
  const sessionDir = mkdtempSync(join(tmpdir(), 'chat-web-session-'));
  const options = {
    ...emptyWorkerOptions,
    sessionDir,
    browserArgs: ['--host-resolver-rules=MAP * ~NOTFOUND'],
    pinnedPage: { version: '1', html: '<p>a page that never has its modules', headers: {} },
  };
  const browser = new BrowserProcess(launchOptions(options, process.env));
  onTestFinished(async () => {
    await browser.kill();
    rmSync(sessionDir, { recursive: true, force: true });
  });
  const events: WorkerEvent[] = [];
  const pageProgram = fileURLToPath(import.meta.resolve('@chat-web/worker/page'));
  const report = (event: WorkerEvent) => void events.push(event);
  const session = new LinkedSession({ options, pageProgram, browser, report, log: vi.fn() });
  void session.start();
  const failed = () => events.filter(({ name }) => name === 'failed');
  await vi.waitFor(() => expect(session.page.url()).toBe('https://web.whatsapp.com/'), { timeout: 30_000 });
  const { link } = session;
  expect(failed()).toEqual([]);

  await link.session.connection()?.send('Target.detachFromTarget', { sessionId: link.session.id() });
  await eventually(() => expect(failed()).toHaveLength(1));
  expect(failed()).toMatchObject([{ reason: 'PAGE_CRASHED', retry: true }]);

  await session.stop({ unlink: false, timeoutMs: 3_000 });
  expect(browser.isRunning).toBe(false);
});
