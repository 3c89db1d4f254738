import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where to search for a browser. */
export interface BrowserSearch {
  /** The operator's path: never ignored, but an error if it cannot be used. */
  readonly configured?: string | undefined;
  /** Prefer the headless shell to the full browser. */
  readonly headlessShell?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: this one. */
  readonly platform?: NodeJS.Platform;
}

/** Debian's command for the headless shell is a script that stays the browser's parent; this is the browser itself. */
const DEBIAN_SHELL = {
  command: '/usr/bin/chromium-headless-shell',
  browser: '/usr/lib/chromium/chromium-headless-shell',
};
const NAMES = ['chromium', 'chromium-browser', 'chromium-headless-shell', 'google-chrome-stable', 'google-chrome'];

/** Browsers of macOS, which are not on the PATH. */
const MAC_PROGRAMS = ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
  (name) => `${name}.app/Contents/MacOS/${name}`,
);

/** The error if no browser is found. */
const NO_BROWSER =
  'no browser found: install one (Chrome, or apt-get install chromium), or set CHAT_WEB_BROWSER_PATH to a Chromium or Chrome';

/**
 * The browser's executable: the configured one, PUPPETEER_EXECUTABLE_PATH, puppeteer's own download, the first on the
 * PATH, or one in the program folders of macOS. Throws if there is none, or if the configured one is not executable.
 */
export function findBrowser({
  configured,
  headlessShell = false,
  env,
  platform = process.platform,
}: BrowserSearch): string {
  const named = configured || env.CHAT_WEB_BROWSER_PATH || env.PUPPETEER_EXECUTABLE_PATH;
  if (named) {
    if (isExecutable(named)) return withoutScript(named);
    throw new Error(
      `the browser at ${named} cannot be run: check CHAT_WEB_BROWSER_PATH (or PUPPETEER_EXECUTABLE_PATH)`,
    );
  }
  const all = [...puppeteerDownloads(env), ...onPath(env.PATH ?? ''), ...installed(platform, env)];
  const shells = headlessShell ? all.filter((path) => path.endsWith('-headless-shell')) : [];
  const found = [...shells, ...all].find(isExecutable);
  if (!found) throw new Error(NO_BROWSER);
  return withoutScript(found);
}

/** Whether there is a headless shell: not every system has one. */
export function hasHeadlessShell(env: BrowserSearch['env']): boolean {
  try {
    return findBrowser({ headlessShell: true, env }).endsWith('-headless-shell');
  } catch {
    return false; // There is no browser at all.
  }
}

function withoutScript(path: string): string {
  return path === DEBIAN_SHELL.command && isExecutable(DEBIAN_SHELL.browser) ? DEBIAN_SHELL.browser : path;
}

function puppeteerDownloads(env: BrowserSearch['env']): string[] {
  const cache = env.PUPPETEER_CACHE_DIR ?? join(env.HOME ?? homedir(), '.cache', 'puppeteer');
  return ['chrome', 'chrome-headless-shell'].flatMap((kind) => {
    try {
      const newestFirst = readdirSync(join(cache, kind)).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
      return newestFirst.map((version) => join(cache, kind, version, `${kind}-linux64`, kind));
    } catch {
      return []; // No downloads by puppeteer.
    }
  });
}

function onPath(path: string): string[] {
  return NAMES.flatMap((name) => path.split(delimiter).map((folder) => join(folder, name)));
}

function installed(platform: NodeJS.Platform, env: BrowserSearch['env']): string[] {
  if (platform !== 'darwin') return [];
  const folders = ['/Applications', join(env.HOME ?? homedir(), 'Applications')];
  return MAC_PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
