import { findBrowser } from '@chat-web/worker/browser';
import { type Browser, launch } from 'puppeteer';

/** A browser for pages of this machine: `names` resolve to 127.0.0.1, no others resolve. */
export function openBrowser(names: readonly string[] = []): Promise<Browser> {
  const rules = [...names.map((name) => `MAP ${name} 127.0.0.1`), 'MAP * ~NOTFOUND'];
  return launch({
    executablePath: findBrowser({ configured: undefined, headlessShell: false, env: process.env }),
    args: [
      `--host-resolver-rules=${[...rules, 'EXCLUDE 127.0.0.1', 'EXCLUDE localhost'].join(', ')}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), // Chromium has no sandbox for root.
    ],
    pipe: true,
  });
}
