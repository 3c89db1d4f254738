import { type Browser, launch } from 'puppeteer';
import { findBrowser } from '../client/browser.ts';

/** A browser for programs in a page, without the simulator and without network access. */
export function bareBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND'];
  const headlessShell = process.env.CHAT_WEB_HEADLESS_SHELL !== undefined;
  return launch({ executablePath: findBrowser({ headlessShell, env: process.env }), pipe: true, args });
}
