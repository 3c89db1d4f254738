import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ADA, BEN } from '../accounts.ts';
import { Stack } from './stack.ts';

const MAIN = fileURLToPath(new URL('../../../../scripts/dist/doctor/main.js', import.meta.url));

export interface PrintedFinding {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail' | 'skip' | 'note';
  readonly detail: string;
  readonly todo?: string;
  readonly ms?: number;
}

export interface DoctorRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How doctor is run. `settings` are the only `CHAT_WEB_…` variables that it gets. */
export interface DoctorOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** The arguments of Node that start it; default: those in the checkout. */
  readonly command?: readonly string[];
  /** Where temporary folders go. */
  readonly tmpDir?: string;
  /** What to do once the output matches. */
  readonly when?: { readonly printed: RegExp; act(press: () => void): void };
}

/** Ctrl+C, once the output matches. */
export function interruptAt(printed: RegExp): Pick<DoctorOptions, 'when'> {
  return { when: { printed, act: (press) => press() } };
}

/** Runs `chat-web doctor` without a terminal. */
export async function runDoctor(
  args: readonly string[],
  { settings = {}, command = [MAIN], tmpDir, when }: DoctorOptions = {},
): Promise<DoctorRun> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHAT_WEB_'));
  const child = spawn(process.execPath, [...command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), ...(tmpDir ? { TMPDIR: tmpDir } : {}), ...settings },
  });
  const output = { stdout: '', stderr: '' };
  let hasActed = false;
  onText(child, 'stdout', (text) => {
    output.stdout += text;
    if (hasActed || !when?.printed.test(output.stdout)) return;
    hasActed = true;
    when.act(() => child.kill('SIGINT'));
  });
  onText(child, 'stderr', (text) => {
    output.stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

/** The findings of a run with `--json`, by their checks. */
export function findingsOf({ stdout }: DoctorRun): Map<string, PrintedFinding> {
  const { findings } = JSON.parse(stdout) as { findings: PrintedFinding[] };
  return new Map(findings.map((finding) => [finding.check, finding]));
}

/** These depend on the host, not on doctor: no test can predict their results. */
const HOST_CHECKS = new Set(['sandbox', 'limits', 'clock', 'network', 'memory']);

/** The findings with these results, without those that depend on the host. */
export function resultsOf(
  found: ReadonlyMap<string, PrintedFinding>,
  ...results: readonly PrintedFinding['result'][]
): PrintedFinding[] {
  return [...found.values()].filter(({ check, result }) => results.includes(result) && !HOST_CHECKS.has(check));
}

/** Two linked sessions, `main` and `ben`, who know each other and share a group, for doctor to check. */
export interface LinkedPair {
  readonly stack: Stack;
  readonly group: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The flags that check everything. */
  readonly all: readonly string[];
  /** Runs doctor on `main`, and confirms everything. */
  run(args: readonly string[], options?: DoctorOptions): Promise<DoctorRun>;
}

/** Sets up such a pair. */
export async function linkPair(): Promise<LinkedPair> {
  const token = 'a-token-of-the-operator';
  const stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: token } });
  await stack.phones.contacts(ADA, { save: [{ number: BEN, name: 'Ben' }] });
  await stack.phones.profile(BEN, { picture: 'present' });
  const { id: group } = await stack.phones.createGroup(ADA, { subject: 'Friends', participants: [BEN] });
  await stack.link('main', ADA);
  await stack.link('ben', BEN);
  const settings = {
    CHAT_WEB_PORT: '1', // Nothing listens there: a test names the gateway, or none runs.
    CHAT_WEB_TOKEN: token,
    CHAT_WEB_DATA_DIR: stack.dataDir,
    CHAT_WEB_BROWSER_ARGS: JSON.stringify(stack.simulator.browserArgs),
  };
  return {
    stack,
    group,
    settings,
    all: [
      '--gateway',
      stack.gateway.url,
      '--to',
      `+${BEN}`,
      '--peer',
      'ben',
      '--status',
      '--group',
      group,
      '--watch',
      '0.1',
      '--json',
    ],
    run: (args, options = {}) => runDoctor(['--session', 'main', '--yes', ...args], { settings, ...options }),
  };
}

function onText(child: ChildProcess, name: 'stdout' | 'stderr', take: (text: string) => void): void {
  child[name]?.setEncoding('utf8').on('data', take);
}
