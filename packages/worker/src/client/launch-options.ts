import { readFileSync } from 'node:fs';
import { ownerArgument, startOf, statFields, type WorkerOptions } from '@chat-web/protocol';
import { type BrowserSearch, findBrowser, sandboxWorks } from './browser.ts';

const LAUNCH_TIMEOUT_MS = 60_000;
/** Longer than all our own time limits: the last resort for a call to a page that never answers. */
const PROTOCOL_TIMEOUT_MS = 120_000;

/**
 * Flags that save memory and processes for a browser of one page, measured by `npm run bench`. Feature flags of one kind
 * are merged at launch; of any other flag the last one counts, so that the operator's arguments win.
 */
const LEAN_ARGS = [
  // Chromium starts a hidden page for its address bar, and a spare renderer for the next page: neither is used.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess',
  '--enable-features=NetworkServiceInProcess2',
  '--js-flags=--max-semi-space-size=1 --optimize-for-size',
  // Without a GPU there is no need for a process that draws with one, nor for a program that imitates one.
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--in-process-gpu',
  // A process from which only the GPU process and the network service would be forked.
  '--no-unsandboxed-zygote',
];

/** Flags that keep a browser from filling the disk, and from leaving processes behind. */
const TIDY_ARGS = [
  '--disable-component-update',
  `--disk-cache-size=${50 * 1_048_576}`,
  // Its crash handlers leave the browser's process tree, and collect reports that are never sent.
  '--disable-crashpad-for-testing',
];

/** Launch options of the browser. Throws if no browser is found. */
export function launchOptions(
  { browserPath, headlessShell, browserArgs }: Pick<WorkerOptions, 'browserPath' | 'headlessShell' | 'browserArgs'>,
  env: BrowserSearch['env'],
) {
  const executablePath = findBrowser({ configured: browserPath, headlessShell, env });
  return {
    executablePath,
    headless: headlessShell ? ('shell' as const) : true,
    // The browser exits when its pipe closes, so that none outlives a killed worker; and there is no DevTools port that
    // another user of this machine could connect to.
    pipe: true,
    // The worker closes the browser itself; puppeteer's handlers would close it during a graceful stop.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: LAUNCH_TIMEOUT_MS,
    protocolTimeout: PROTOCOL_TIMEOUT_MS,
    defaultViewport: null,
    // Otherwise it has the browser report each frame of the page's socket, and keep what the page has loaded.
    networkEnabled: false,
    // A page could otherwise write files of any size and name to the downloads folder of the browser's user.
    downloadBehavior: { policy: 'deny' as const },
    args: [
      ...LEAN_ARGS,
      ...TIDY_ARGS,
      ...ownerArguments(),
      ...(sandboxWorks(executablePath) ? [] : ['--no-sandbox']),
      ...browserArgs,
    ],
  };
}

/** Identifies the owner of a browser, so that the gateway can find orphaned ones. */
function ownerArguments(): string[] {
  if (process.platform !== 'linux') return [];
  const stat = readFileSync('/proc/self/stat', 'utf8');
  return [ownerArgument({ pid: process.pid, startedAt: startOf(statFields(stat)) })];
}
