import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeMessage } from '@chat-web/protocol';
import { emptyWorkerOptions } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { describe, expect, it, vi } from 'vitest';
import { BrowserProcess, launchFor } from './browser-process.ts';
import { connectBrowser } from './connect-browser.ts';

const WORKER = fileURLToPath(import.meta.resolve('@chat-web/worker/main'));

const dir = freshFolder();

function program(script: string): string {
  const path = join(dir, 'browser');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const start = (script: string) =>
  new BrowserProcess({ executablePath: program(script), profileDir: join(dir, 'session'), args: [] });

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a started browser', () => {
  it('that exits before it is connected fails the connection with the end of its output', async () => {
    const browser = start('echo "no usable sandbox" >&2; exit 7');
    await browser.exited;
    await expect(connectBrowser(browser, () => true)).rejects.toThrow('the browser exited (code 7): no usable sandbox');
  });

  it('that exits while it is being connected does so, too', async () => {
    const browser = start('sleep 0.2; exit 7');
    await expect(connectBrowser(browser, () => true)).rejects.toThrow('the browser exited (code 7)');
  });

  it('that cannot be run fails the connection', async () => {
    const browser = start('');
    writeFileSync(join(dir, 'browser'), 'not a program');
    const broken = new BrowserProcess({ executablePath: join(dir, 'nothing'), profileDir: dir, args: [] });
    await expect(connectBrowser(broken, () => true)).rejects.toThrow(/did not start/);
    await browser.exited;
  });

  it('is killed with its process group', async () => {
    const browser = start('sleep 60 & sleep 60');
    await expect.poll(() => isAlive(browser.child.pid)).toBe(true);
    await browser.kill();
    expect(browser.isRunning).toBe(false);
    expect(isAlive(browser.child.pid)).toBe(false);
  });
});

describe('a browser that has exited', () => {
  it('leaves no process of its group once it is killed', async () => {
    const browser = start('sleep 60 & echo $! > "$(dirname "$0")/left"; exit 0');
    expect(await browser.exited).toBe('the browser exited (code 0)');
    const left = Number(readFileSync(join(dir, 'left'), 'utf8'));
    expect(isAlive(left)).toBe(true);
    await browser.kill();
    await expect.poll(() => isAlive(left)).toBe(false);
    await browser.kill(); // Nothing to kill.
  });

  it('or failed to start does not need a kill', async () => {
    await new BrowserProcess({ executablePath: join(dir, 'nothing'), profileDir: dir, args: [] }).kill();
  });
});

describe('the first message', () => {
  it('only starts a browser if it is a start', () => {
    expect(launchFor(encodeMessage({ type: 'stop', unlink: false, timeoutMs: 1 }).subarray(0, -1), {})).toBeUndefined();
  });

  it('with a missing browser reports that', () => {
    const options = { ...emptyWorkerOptions, browserPath: '/nowhere/chromium' };
    expect(launchFor(encodeMessage({ type: 'start', options }).subarray(0, -1), {})).toMatchObject({
      failed: 'BROWSER_NOT_FOUND',
    });
  });
});

describe('a worker that is killed before it has connected', () => {
  /** Exits when its command pipe closes, as a browser does: only when the worker is gone. */
  const READS_ITS_PIPE = `echo $$ > "$(dirname "$0")/pid"; cat <&3 > /dev/null; touch "$(dirname "$0")/ended"`;

  it('leaves no browser', async () => {
    const options = { ...emptyWorkerOptions, sessionDir: dir, browserPath: program(READS_ITS_PIPE) };
    const worker = spawn(process.execPath, [WORKER], { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] });
    const [, , , , toWorker] = worker.stdio as unknown as NodeJS.WritableStream[];
    toWorker?.write(encodeMessage({ type: 'start', options }));
    await vi.waitUntil(() => existsSync(join(dir, 'pid')), { timeout: 10_000 });
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    await expect.poll(() => existsSync(join(dir, 'ended'))).toBe(true);
  });

  it('leaves no browser if its gateway is gone', async () => {
    const options = { ...emptyWorkerOptions, sessionDir: dir, browserPath: program(READS_ITS_PIPE) };
    const worker = spawn(process.execPath, [WORKER], { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] });
    const [, , , toGateway, toWorker] = worker.stdio as unknown as { write(x: unknown): void; destroy(): void }[];
    toWorker?.write(encodeMessage({ type: 'start', options }));
    await vi.waitUntil(() => existsSync(join(dir, 'pid')), { timeout: 10_000 });
    toGateway?.destroy();
    toWorker?.destroy();
    await once(worker, 'exit');
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
