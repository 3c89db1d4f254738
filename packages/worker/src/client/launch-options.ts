import type { WorkerOptions } from '@chat-web/protocol';
import { type BrowserSearch, findBrowser, sandboxWorks } from './browser.ts';

const LAUNCH_TIMEOUT_MS = 60_000;
/** Behind all our own time limits: the last resort for a call to a page that never answers. */
const PROTOCOL_TIMEOUT_MS = 120_000;

/** How the browser is launched. */
export function launchOptions({ browserPath, browserArgs }: WorkerOptions, env: BrowserSearch['env']) {
  const executablePath = findBrowser({ configured: browserPath, env });
  return {
    executablePath,
    headless: true,
    // The browser ends when its pipe closes, so that none outlives a worker that was killed; and there is no
    // DevTools port that another user of this machine could drive.
    pipe: true,
    // The worker ends the browser itself; puppeteer's own handlers close it under a running session.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: LAUNCH_TIMEOUT_MS,
    protocolTimeout: PROTOCOL_TIMEOUT_MS,
    defaultViewport: null,
    args: [...(sandboxWorks(executablePath) ? [] : ['--no-sandbox']), ...browserArgs],
  };
}
