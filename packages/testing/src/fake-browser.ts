import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownerArgument, type ProcessId, startOf, statFields } from '@chat-web/protocol';
import { firstLineOf, untilEnded } from './child-programs.ts';

const HELPER = '--type=renderer';
const MAX_LIFE_MS = 60_000;

/** The identity of the process that has this pid now. */
export function processId(pid: number): ProcessId {
  return { pid, startedAt: startOf(statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))) };
}

/** The owner of a browser whose worker has ended. */
export const deadOwner: ProcessId = { pid: process.pid, startedAt: 1 };

/** What a browser looks like from outside: a process that names its profile and leads a session, and a helper of it. */
export interface FakeBrowser extends AsyncDisposable {
  readonly main: ProcessId;
  readonly helper: ProcessId;
}

/** How such a pair starts. */
export interface FakeBrowserOptions {
  readonly owner?: ProcessId;
  /** It exits by itself, as a browser whose pipe has closed does. */
  readonly closesAfterMs?: number;
  /** It has an existing file of its profile open. */
  readonly isOpen?: boolean;
  /** The user that it runs as, where the test may choose. */
  readonly user?: number;
}

/** Starts such a pair. */
export async function fakeBrowser(
  profileDir: string,
  { owner, closesAfterMs, isOpen = false, user }: FakeBrowserOptions = {},
): Promise<FakeBrowser> {
  const profile = `--user-data-dir=${profileDir}`;
  // Its lifetime begins once both pids are known here, however long a busy machine takes for that.
  const wait = `setTimeout(() => process.exit(), ${MAX_LIFE_MS}); process.stdin.once('data', () => setTimeout(() => process.exit(), ${closesAfterMs})).unref();`;
  const helperCode = `console.log('up');${wait}`;
  const spawnHelper = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(helperCode)}, '--', '${HELPER}', '${profile}'])`;
  const code = `const helper = ${spawnHelper}; helper.stdout.once('data', () => { console.log(helper.pid); ${wait} process.stdin.pipe(helper.stdin); });`;
  const open = isOpen ? `require('fs').openSync(${JSON.stringify(join(profileDir, 'held'))}, 'w');` : '';
  const args = ['-e', `${open} ${code}`, '--', profile, ...(owner ? [ownerArgument(owner)] : [])];
  const child: ChildProcess = spawn(process.execPath, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(user === undefined ? {} : { uid: user, gid: user, cwd: '/' }),
  });
  if (!child.stdin || !child.stdout || !child.pid) throw new Error('the fake browser did not start');
  const line = await firstLineOf(child, child.stdout);
  const started = { main: processId(child.pid), helper: processId(Number(line)) };
  child.stdin.on('error', () => {}); // It may have ended.
  if (closesAfterMs !== undefined) child.stdin.write('close');
  return {
    ...started,
    [Symbol.asyncDispose]: async () => {
      for (const { pid } of [started.main, started.helper]) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // The test has ended it.
        }
      }
      await untilEnded(child);
    },
  };
}

/** Stand-ins for browsers that hang in the kernel: whenever one is killed, it reappears. */
export function undyingBrowsers(profileDir: string): Disposable {
  const script = 'while :; do sh -c "read line" sh "$PROFILE" "$OWNER"; done'; // The script itself names no profile.
  const env = { ...process.env, PROFILE: `--user-data-dir=${profileDir}`, OWNER: ownerArgument(deadOwner) };
  const all = Array.from({ length: 4 }, () =>
    spawn('sh', ['-c', script], { env, stdio: ['pipe', 'ignore', 'ignore'] }),
  );
  return {
    [Symbol.dispose]: () => {
      for (const one of all) {
        one.kill('SIGKILL');
        one.stdin.destroy(); // Ends the input of its browser.
      }
    },
  };
}
