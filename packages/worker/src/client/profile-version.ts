import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Chromium writes its version here in each profile that it opens; the headless shell does not, so that we do. */
const LAST_VERSION = 'Last Version';
/** The browser that was connected last, and its version: a browser takes 0.2 s of CPU time to print it. */
const LAST_BROWSER = 'chat-web-browser';
const MAX_BYTES = 1_000;
const TIMEOUT_MS = 15_000;
const VERSION = /\d+(\.\d+){3}/;

/** Which browser opens which profile. */
interface Opening {
  readonly executablePath: string;
  readonly profileDir: string;
}

/**
 * Throws if the profile was last opened by a browser of a newer milestone. An older one does not understand all files,
 * and may remove what it does not understand, such as the account's link. Within a milestone, formats do not change.
 */
export function requireKnownFormat({ executablePath, profileDir }: Opening): void {
  const last = read(profileDir, LAST_VERSION);
  if (last === undefined) return; // New, or of a browser that has left no version.
  const [version, file] = read(profileDir, LAST_BROWSER)?.split(' ', 2) ?? [];
  const own = file === fileId(executablePath) ? version : versionOf(executablePath);
  if (own === undefined || milestoneOf(own) >= milestoneOf(last)) return;
  throw new Error(
    `the profile was last opened by browser version ${last}, and ${executablePath} is ${own}, which may damage it: install version ${milestoneOf(last)} or newer`,
  );
}

/** Notes that a browser has opened a profile. `product`: its name and version, such as `Chrome/156.0.8078.108`. */
export function noteVersion({ executablePath, profileDir }: Opening, product: string): void {
  const version = VERSION.exec(product)?.[0];
  if (version === undefined) return;
  for (const [name, text] of [
    [LAST_VERSION, version],
    [LAST_BROWSER, `${version} ${fileId(executablePath)}`],
  ] as const)
    if (read(profileDir, name) !== text) writeFileSync(join(profileDir, name), text);
}

function read(profileDir: string, name: string): string | undefined {
  const path = join(profileDir, name);
  try {
    const found = statSync(path);
    const text = found.isFile() && found.size < MAX_BYTES ? readFileSync(path, 'utf8').trim() : '';
    return VERSION.test(text) ? text : undefined;
  } catch {
    return undefined; // There is none, or the disk fails, which the browser will report.
  }
}

/** Changes with each installed version. */
function fileId(executablePath: string): string {
  const { size, mtimeMs } = statSync(executablePath);
  return `${size}:${mtimeMs}`;
}

/** Undefined if it does not print a version: what is wrong with it shows when it starts. */
function versionOf(executablePath: string): string | undefined {
  const { stdout } = spawnSync(executablePath, ['--version'], { timeout: TIMEOUT_MS, encoding: 'utf8' });
  return VERSION.exec(stdout ?? '')?.[0];
}

function milestoneOf(version: string): number {
  return Number.parseInt(version, 10);
}
