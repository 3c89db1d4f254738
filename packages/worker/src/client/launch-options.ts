import { readFileSync } from 'node:fs';
import { ownerArgument, startOf, statFields, type WorkerOptions } from '@chat-web/protocol';
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

/** What keeps a browser from filling the disk, and from leaving processes that nobody could tell to be its own. */
const TIDY_ARGS = [
  '--disable-component-update',
  `--disk-cache-size=${50 * 1_048_576}`,
  // Its crash handlers leave the browser's process tree, and collect reports that go nowhere.
  '--disable-crashpad-for-testing',
];

/** How the browser is launched. */
export function launchOptions({ browserPath, headlessShell, browserArgs }: WorkerOptions, env: BrowserSearch['env']) {
  const executablePath = findBrowser({ configured: browserPath, headlessShell, env });
  return {
    executablePath,
    headless: headlessShell ? ('shell' as const) : true,
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
    args: [
      ...LEAN_ARGS,
      ...TIDY_ARGS,
      ...ownerArguments(),
      ...(sandboxWorks(executablePath) ? [] : ['--no-sandbox']),
      ...browserArgs,
    ],
  };
}

/** By this the gateway knows whose a browser is, when it finds one. */
function ownerArguments(): string[] {
  if (process.platform !== 'linux') return [];
  const stat = readFileSync('/proc/self/stat', 'utf8');
  return [ownerArgument({ pid: process.pid, startedAt: startOf(statFields(stat)) })];
}
