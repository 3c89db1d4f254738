import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../scripts/dist/doctor/main.js', import.meta.url));

/** A finding, as `--json` prints it. */
export interface PrintedFinding {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail' | 'skip' | 'note';
  readonly detail: string;
  readonly todo?: string;
  readonly ms?: number;
}

/** What doctor printed and how it ended. */
export interface DoctorRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How doctor is run: settings are all that it sees of `CHAT_WEB_…`. */
export interface DoctorOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Where temporary folders go. */
  readonly tmpDir?: string;
  /** Ctrl+C is pressed as soon as the output has this. */
  readonly interruptAt?: RegExp;
}

/** Runs `npm run doctor` without npm, at no terminal. */
export async function runDoctor(
  args: readonly string[],
  { settings = {}, tmpDir, interruptAt }: DoctorOptions = {},
): Promise<DoctorRun> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHAT_WEB_'));
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), ...(tmpDir ? { TMPDIR: tmpDir } : {}), ...settings },
  });
  const output = { stdout: '', stderr: '' };
  let isInterrupted = false;
  read(child, 'stdout', (text) => {
    output.stdout += text;
    if (isInterrupted || !interruptAt?.test(output.stdout)) return;
    isInterrupted = true;
    child.kill('SIGINT');
  });
  read(child, 'stderr', (text) => {
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

function read(child: ChildProcess, name: 'stdout' | 'stderr', take: (text: string) => void): void {
  child[name]?.setEncoding('utf8').on('data', take);
}
