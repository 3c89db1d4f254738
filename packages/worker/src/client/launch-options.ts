import type { WorkerOptions } from '@chat-web/protocol';
import { type BrowserSearch, findBrowser, sandboxWorks } from './browser.ts';

const LAUNCH_TIMEOUT_MS = 60_000;
/** Behind all our own time limits: the last resort for a call to a page that never answers. */
const PROTOCOL_TIMEOUT_MS = 120_000;

/**
 * What makes a browser of one page cheaper, measured by `npm run bench`. Several feature flags of one kind are merged
 * at launch; of any other flag the last one counts, so that the operator's own have the last word.
 */
const LEAN_ARGS = [
  // Chromium starts a hidden page for its address bar, and a renderer in reserve for the next page: neither is used.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess',
  '--enable-features=NetworkServiceInProcess2',
  '--js-flags=--max-semi-space-size=1 --optimize-for-size',
];

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
    args: [...LEAN_ARGS, ...(sandboxWorks(executablePath) ? [] : ['--no-sandbox']), ...browserArgs],
  };
}
