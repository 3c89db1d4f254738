import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilEnded } from './child-programs.ts';
import { eventually } from './eventually.ts';
import { fixture } from './fixture.ts';

const BOOT = fixture('boot-systemd.sh');
const NAMESPACES = ['--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup'];

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The root folder of a system, and another folder that is mounted in it. */
interface SystemFolders {
  readonly root: string;
  readonly from: string;
  readonly to: string;
}

/**
 * A real systemd as the first process of namespaces of its own. It has loopback and no other network. Only root can
 * boot one.
 */
export class Systemd implements AsyncDisposable {
  readonly #folder: string;
  readonly #unshare: ChildProcess;
  readonly #pid: number;
  readonly #children: ChildProcess[] = [];

  private constructor(folder: string, unshare: ChildProcess, pid: number) {
    this.#folder = folder;
    this.#unshare = unshare;
    this.#pid = pid;
  }

  /** Why systemd cannot boot here; undefined where it can. */
  static missing(): string | undefined {
    if (process.getuid?.() !== 0) return 'only root can boot systemd';
    const tried = spawnSync('unshare', [...NAMESPACES, '--fork', 'sh', '-c', 'mount -t cgroup2 cgroup2 /mnt']);
    if (tried.status !== 0) return 'root cannot make namespaces on this machine, or it has no cgroups of version 2';
    return undefined;
  }

  static async boot({ root, from, to }: SystemFolders): Promise<Systemd> {
    const folder = await mkdtemp(join(tmpdir(), 'chat-web-systemd-'));
    const args = [...NAMESPACES, '--fork', '--kill-child', 'sh', BOOT, folder, root, from, to];
    const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => output.push(String(data)));
    const { pid: outer = 0 } = child;
    try {
      const pid = await eventually(async () => {
        const inner = Number((await readFile(`/proc/${outer}/task/${outer}/children`, 'utf8')).trim());
        const program = await readFile(`/proc/${inner}/comm`, 'utf8');
        if (program.trim() !== 'systemd') throw new Error(`systemd did not start: ${output.join('')}`);
        return inner;
      });
      const systemd = new Systemd(folder, child, pid);
      await eventually(() => {
        const { stdout } = systemd.run(['systemctl', 'is-system-running']);
        if (stdout.trim() !== 'running') throw new Error(`systemd is ${stdout}`);
      });
      systemd.run(['ip', 'link', 'set', 'lo', 'up']);
      return systemd;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Runs a program inside, and waits until it exits. */
  run(command: readonly string[], input = ''): Ended {
    const { status, stdout, stderr } = spawnSync('nsenter', this.#enter(command), { encoding: 'utf8', input });
    return { status, stdout, stderr };
  }

  /** The same for a shell's commands; throws where they fail. Returns what they print. */
  sh(script: string, input = ''): string {
    const { status, stdout, stderr } = this.run(['sh', '-euc', script], input);
    if (status !== 0) throw new Error(`${script}: ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Starts a program inside that ends with this systemd. Everything that it prints is added to the list. */
  start(command: readonly string[]): string[] {
    const child = spawn('nsenter', this.#enter(command), { stdio: ['ignore', 'pipe', 'pipe'] });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => printed.push(String(data)));
    this.#children.push(child);
    return printed;
  }

  /** Ends everything inside. */
  async [Symbol.asyncDispose](): Promise<void> {
    process.kill(this.#pid, 'SIGKILL'); // The kernel kills the whole namespace with its first process.
    await untilEnded(this.#unshare);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #enter(command: readonly string[]): string[] {
    return [`--target=${this.#pid}`, ...NAMESPACES, '--', ...command];
  }
}
