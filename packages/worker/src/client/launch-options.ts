import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { ownerArgument, profileFlag, startOf, statFields, type WorkerOptions } from '@chat-web/protocol';
import { DefaultOptions } from 'whatsapp-web.js/src/util/Constants.js';
import { type BrowserSearch, findBrowser } from './browser.ts';
import { sandboxObstacle } from './sandbox.ts';

/** Puppeteer's own arguments (a test compares them): it is not loaded yet when the browser is started. */
export const PUPPETEER_ARGS = [
  '--allow-pre-commit-input',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-hang-monitor',
  '--disable-infobars',
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-renderer-backgrounding',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--enable-automation',
  '--export-tagged-pdf',
  '--force-color-profile=srgb',
  '--generate-pdf-document-outline',
  '--metrics-recording-only',
  '--no-first-run',
  '--password-store=basic',
  '--use-mock-keychain',
  '--disable-extensions',
];

/** The arguments that puppeteer adds without a window. */
export const WINDOWLESS_ARGS = ['--hide-scrollbars', '--mute-audio'];

/** The features that puppeteer switches; see `PUPPETEER_ARGS`. */
export const PUPPETEER_FEATURES = {
  disabled: [
    'Translate',
    'AcceptCHFrame',
    'MediaRouter',
    'OptimizationHints',
    'RenderDocument',
    'PartitionAllocSchedulerLoopQuarantineTaskControlledPurge',
    'ProcessPerSiteUpToMainFrameThreshold',
    'IsolateSandboxedIframes',
  ],
  enabled: ['PdfOopif'],
};

/**
 * Features switched to save memory and processes in a browser with one page, measured by `npm run bench`: Chromium
 * starts a hidden page for its address bar, and a spare renderer for the next page, both unused here.
 */
const LEAN_FEATURES = {
  disabled: ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
  enabled: ['NetworkServiceInProcess2'],
};

const NO_SANDBOX = '--no-sandbox';

/** Flags of the page's engine. */
const JS_FLAGS = ['--max-semi-space-size=1', '--optimize-for-size'];

const LEAN_ARGS = [
  // Without a GPU, neither a GPU process nor a software renderer is needed.
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--in-process-gpu',
  // A process that only the GPU process and the network service would be forked from.
  '--no-unsandboxed-zygote',
];

/** Flags that keep a browser from filling the disk, and from leaving processes behind. */
const TIDY_ARGS = [
  '--disable-component-update',
  `--disk-cache-size=${50 * 1_048_576}`,
  // Crash handlers leave the browser's process tree, and collect reports that are never sent.
  '--disable-crashpad-for-testing',
];

/** The library's user agent. Not from `library.ts`: the browser starts before the library is loaded. */
export const USER_AGENT = DefaultOptions.userAgent;

/** The library's arguments, which hide the automation from the page. */
const LIBRARY_ARGS = [`--user-agent=${USER_AGENT}`, '--disable-blink-features=AutomationControlled'];

/** Arguments of the operator that would lead a browser past its proxy. */
const OF_NETWORK = /^--(no-proxy-server|proxy-[a-z-]+|host-(resolver-)?rules|(force-)?webrtc-ip-handling-policy)(=|$)/;

/**
 * The arguments of a browser whose connections all go through a proxy, which also resolves all names. The browser itself
 * resolves only the proxy, to its checked address; WebRTC connects only through it, and loopback is not excepted.
 */
function proxyArgs({ url, address }: NonNullable<WorkerOptions['proxy']>): string[] {
  const host = url.slice(url.indexOf('://') + 3);
  const port = host.slice(host.lastIndexOf(':'));
  return [
    `--proxy-server=${url}`,
    '--proxy-bypass-list=<-loopback>',
    `--host-resolver-rules=MAP ${host} ${isIPv6(address) ? `[${address}]` : address}${port}, MAP * ~NOTFOUND`,
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  ];
}

/** A browser to start, for `spawn`. */
export interface LaunchOptions {
  readonly executablePath: string;
  readonly profileDir: string;
  readonly args: readonly string[];
  /** Why it runs without Chromium's sandbox; undefined if it has one. */
  readonly unsandboxed?: string | undefined;
}

/** Launch options of the browser. Throws if no browser is found. */
export function launchOptions(
  {
    browserPath,
    headlessShell,
    browserWindow,
    browserArgs,
    proxy,
    sessionDir,
  }: Pick<WorkerOptions, 'browserPath' | 'headlessShell' | 'browserWindow' | 'browserArgs' | 'proxy' | 'sessionDir'>,
  env: BrowserSearch['env'],
): LaunchOptions {
  const executablePath = findBrowser({ configured: browserPath, headlessShell, env });
  const profileDir = join(sessionDir, 'session');
  const jsFlags = `--js-flags=${[...JS_FLAGS, ...(headlessShell ? [profileFlag(profileDir)] : [])].join(' ')}`;
  const isFeature = (arg: string) => /^--(en|dis)able-features=/.test(arg);
  const features = (flag: string, ...own: readonly string[][]) => {
    const asked = browserArgs
      .filter((arg) => arg.startsWith(`${flag}=`))
      .map((arg) => arg.slice(flag.length + 1).trim());
    return `${flag}=${[...own.flat(), ...asked].join(',')}`;
  };
  const unsandboxed = browserArgs.includes(NO_SANDBOX)
    ? `CHAT_WEB_BROWSER_ARGS has ${NO_SANDBOX}`
    : sandboxObstacle(executablePath, env);
  return {
    executablePath,
    profileDir,
    unsandboxed,
    args: [
      ...PUPPETEER_ARGS,
      // Only the last argument of these would count.
      features('--disable-features', PUPPETEER_FEATURES.disabled, LEAN_FEATURES.disabled),
      features('--enable-features', PUPPETEER_FEATURES.enabled, LEAN_FEATURES.enabled),
      `--user-data-dir=${profileDir}`,
      ...(browserWindow
        ? []
        : [headlessShell ? '--headless' : '--headless=new', ...WINDOWLESS_ARGS, ...LEAN_ARGS, jsFlags]),
      ...TIDY_ARGS,
      ...ownerArguments(),
      ...(unsandboxed === undefined ? [] : [NO_SANDBOX]),
      ...LIBRARY_ARGS,
      // For any other flag, the last argument counts, so the operator's arguments win.
      ...browserArgs.filter((arg) => !isFeature(arg) && !(proxy && OF_NETWORK.test(arg))),
      ...(proxy ? proxyArgs(proxy) : []),
      // The browser exits when its pipe closes, so it does not outlive a killed worker; and there is no DevTools port
      // that another user of the machine could connect to.
      '--remote-debugging-pipe',
      ...(browserArgs.every((arg) => arg.startsWith('-')) ? ['about:blank'] : []),
    ],
  };
}

/** Identifies the owner of a browser, so that the gateway can find orphaned ones. */
function ownerArguments(): string[] {
  if (process.platform !== 'linux') return [];
  const stat = readFileSync('/proc/self/stat', 'utf8');
  return [ownerArgument({ pid: process.pid, startedAt: startOf(statFields(stat)) })];
}
