import { spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { constants, existsSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { availableMemoryBytes, type Config, freeDiskBytes } from '@chat-web/gateway/tools';
import { errorText, unlessAborted } from '@chat-web/protocol';
import { findBrowser } from '@chat-web/worker/browser';
import { sandboxObstacle } from '@chat-web/worker/sandbox';
import { isAllowed } from '../file-access.ts';
import { grouped, inMb, type Outcome, type Report } from './report.ts';

const OLDEST_NODE = [20, 19] as const;
const VERSION_TIMEOUT_MS = 15_000;
const CLOCK_TIMEOUT_MS = 5_000;
/** Average memory of a real account's session, and the number of sessions that a busy host is sized for. */
const SESSION_BYTES = 400 * 1_048_576;
const MANY_SESSIONS = 50;
/** Threads of one idle session, which count against the process limit; open files that the gateway needs at least. */
const THREADS_EACH = 120;
const MIN_FILES = 4_096;

/** Checks the host: Node, browser, sandbox, disk, memory, limits, clock. */
export async function checkMachine(report: Report, config: Config, env: NodeJS.ProcessEnv): Promise<void> {
  await report.check('node', () => nodeVersion(process.versions.node));
  let browser: string | undefined;
  const isFound = await report.check('browser', () => {
    browser = findBrowser({ configured: config.browserPath, headlessShell: config.headlessShell, env });
    return browserVersion(browser);
  });
  if (isFound && browser) {
    const path = browser;
    await report.check('sandbox', () => sandbox(path, env));
  }
  await report.check('disk', () => disk(config));
  await report.check('memory', () => memory(config));
  await report.check('limits', limits);
  await report.check('clock', clock);
}

function nodeVersion(version: string): Outcome {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (isEnough) return version;
  return { result: 'fail', detail: version, todo: `install Node ${OLDEST_NODE.join('.')} or newer` };
}

function browserVersion(path: string): Outcome {
  const { stdout, status } = spawnSync(path, ['--version'], { timeout: VERSION_TIMEOUT_MS, encoding: 'utf8' });
  if (status === 0 && stdout) return `${stdout.trim().split('\n').at(-1)?.trim()}, ${path}`;
  const todo = `run "${path} --version": it names missing libraries`;
  return { result: 'fail', detail: `${path} does not print its version`, todo };
}

function sandbox(browserPath: string, env: NodeJS.ProcessEnv): Outcome {
  const obstacle = sandboxObstacle(browserPath, env);
  if (obstacle === undefined) return 'works for this user';
  const todo =
    process.getuid?.() === 0
      ? 'run gateway and doctor as an unprivileged user, preferably with the systemd unit (docs/service.md)'
      : 'allow user namespaces (sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; in a container, the seccomp profile of docs/install.md)';
  return { result: 'warn', detail: `off: ${obstacle}`, todo };
}

async function disk({ dataDir, minFreeDiskBytes }: Config): Promise<Outcome> {
  const folder = existingAbove(dataDir);
  const free = await freeDiskBytes(folder);
  const detail = `${inMb(free)} free at ${dataDir}, ${inMb(minFreeDiskBytes)} needed for a start`;
  if (!isAllowed(folder, constants.W_OK)) {
    return {
      result: 'fail',
      detail: `this user cannot write to ${folder}`,
      todo: 'run doctor as the user of the gateway',
    };
  }
  if (free >= minFreeDiskBytes) return detail;
  return { result: 'fail', detail, todo: 'free disk space, or set CHAT_WEB_DATA_DIR to a folder on a larger disk' };
}

function memory({ minFreeMemoryBytes }: Config): Outcome {
  const available = availableMemoryBytes();
  if (!Number.isFinite(available)) return { result: 'skip', detail: 'this system does not report it' };
  const more = Math.max(0, Math.floor((available - minFreeMemoryBytes) / SESSION_BYTES));
  const detail = `${inMb(available)} available: about ${more} sessions of ${inMb(SESSION_BYTES)} each`;
  if (more > 0) return detail;
  return {
    result: available < minFreeMemoryBytes ? 'fail' : 'warn',
    detail,
    todo: 'add memory, or stop processes that use it',
  };
}

function limits(): Outcome {
  const text = existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : '';
  const limit = (name: string) => {
    const soft = new RegExp(`^Max ${name} +(\\S+)`, 'm').exec(text)?.[1];
    return soft === undefined ? undefined : soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  };
  const [files, processes] = [limit('open files'), limit('processes')];
  if (files === undefined || processes === undefined)
    return { result: 'skip', detail: 'this system does not report them' };
  const detail = `${grouped(files)} open files, ${grouped(processes)} processes and threads`;
  const fits = Math.floor(processes / THREADS_EACH);
  if (files >= MIN_FILES && fits >= MANY_SESSIONS) return `${detail}: enough for ${MANY_SESSIONS} sessions`;
  const todo = `for ${MANY_SESSIONS} sessions: ulimit -n ${MIN_FILES * 4}, ulimit -u ${MANY_SESSIONS * THREADS_EACH * 2}, or use the systemd unit`;
  return { result: 'warn', detail: `${detail}: enough for about ${grouped(fits)} sessions`, todo };
}

/** A clock that is far off breaks TLS and links. Only whether it is synchronized can be checked from here. */
function clock(): Outcome {
  const built = statSync(new URL(import.meta.url)).mtime;
  if (Date.now() < built.getTime() - 86_400_000)
    return {
      result: 'fail',
      detail: `${new Date().toISOString()} is before the build date of this program`,
      todo: 'set the clock',
    };
  const { stdout, status } = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
    timeout: CLOCK_TIMEOUT_MS,
    encoding: 'utf8',
  });
  if (status !== 0) return { result: 'skip', detail: 'unknown whether it is synchronized' };
  if (stdout.trim() === 'yes') return 'synchronized';
  return { result: 'warn', detail: 'not synchronized', todo: 'timedatectl set-ntp true' };
}

function existingAbove(path: string): string {
  for (let at = path; ; at = dirname(at)) if (existsSync(at) || at === dirname(at)) return at;
}

const HOST = 'web.whatsapp.com';
const PORT = 443;
const TIMEOUT_MS = 5_000;
/** Arguments that route the browser differently from this process: a check from here would prove nothing. */
const DETOURS = ['--host-resolver-rules', '--proxy-server', '--proxy-pac-url'];

/** Whether the network's host resolves and answers. Skipped if the browser takes another route. */
export async function checkNetwork(browserArgs: readonly string[], signal: AbortSignal): Promise<Outcome> {
  const detour = DETOURS.find((name) => browserArgs.some((arg) => arg.startsWith(name)));
  if (detour) return { result: 'skip', detail: `the browser takes another route: CHAT_WEB_BROWSER_ARGS has ${detour}` };
  const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const { address } = await ended(lookup(HOST), ends);
    await connected(address, ends);
    return `${HOST} resolves and responds`;
  } catch (error) {
    const todo = 'check DNS and firewall: browsers need TCP 443 to *.whatsapp.com and *.whatsapp.net';
    return { result: 'fail', detail: `${HOST} cannot be reached (${errorText(error)})`, todo };
  }
}

function connected(address: string, signal: AbortSignal): Promise<void> {
  const socket = connect({ host: address, port: PORT });
  const done = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return ended(done, signal).finally(() => socket.destroy());
}

function ended<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return unlessAborted<T, never>(work, signal, () => {
    throw new Error(`no response within ${TIMEOUT_MS / 1_000} s`);
  });
}
