import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { firstLineOf, untilEnded } from './child-programs.ts';
import { fixture } from './fixture.ts';

const FIXTURE = fixture('notify-socket.pl');

/** One datagram, as a service manager reads it. */
export interface Notification {
  /** Seconds on a clock that never jumps. */
  readonly at: number;
  /** The process that sent it, as the kernel reports it: the manager accepts only the main process. */
  readonly sender: number;
  readonly assignments: Readonly<Record<string, string>>;
}

/** A notify socket such as a service manager has, and what it has received. */
export class NotifySocket implements AsyncDisposable {
  readonly path: string;
  readonly received: Notification[] = [];
  readonly #child: ChildProcess;

  private constructor(path: string, child: ChildProcess) {
    this.path = path;
    this.#child = child;
  }

  static async open(path?: string): Promise<NotifySocket> {
    const where = path ?? join(await mkdtemp(join(tmpdir(), 'chat-web-notify-')), 'socket');
    const child = spawn('perl', [FIXTURE, where], { stdio: ['pipe', 'pipe', 'inherit'] });
    const socket = new NotifySocket(where, child);
    createInterface({ input: child.stdout }).on('line', (line) => socket.#read(line));
    await firstLineOf(child, child.stdout);
    return socket;
  }

  /** Every value that has been sent under a name, in order. */
  values(name: string): string[] {
    return this.received.flatMap(({ assignments }) => assignments[name] ?? []);
  }

  /** When a name was sent, in seconds. */
  times(name: string): number[] {
    return this.received.filter(({ assignments }) => name in assignments).map(({ at }) => at);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await untilEnded(this.#child);
    await rm(dirname(this.path), { recursive: true, force: true });
  }

  #read(line: string): void {
    const [, at, sender, message] = /^([\d.]+) (\d+) (.*)$/.exec(line) ?? [];
    if (message === undefined) return; // The first line: the socket is open.
    const assignments = message.split('\t').map((part) => part.split(/=(.*)/s).slice(0, 2));
    this.received.push({ at: Number(at), sender: Number(sender), assignments: Object.fromEntries(assignments) });
  }
}
