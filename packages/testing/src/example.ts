import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';

/** An example as a user runs it, and what it has printed so far. */
export class Example implements AsyncDisposable {
  readonly out: string[] = [];
  readonly errors: string[] = [];
  readonly exitCode: Promise<number | null>;
  readonly #child;

  /** `command`: an interpreter, a file below examples/, its arguments. */
  constructor([program, name, ...args]: readonly [string, string, ...string[]], env: Readonly<Record<string, string>>) {
    const file = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
    const child = spawn(program, [file, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      detached: true, // A shell and its commands are one group, as in a terminal.
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.out.push(line));
    createInterface({ input: child.stderr }).on('line', (line) => this.errors.push(line));
    this.exitCode = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    this.#child = child;
  }

  /** The first line that matches, already printed or yet to come. */
  line(pattern: RegExp): Promise<string> {
    return this.#lineOf(this.out, pattern);
  }

  /** The same for the error stream. */
  error(pattern: RegExp): Promise<string> {
    return this.#lineOf(this.errors, pattern);
  }

  /** Interrupts it, as Ctrl+C does. */
  interrupt(): Promise<number | null> {
    this.#signal('SIGINT');
    return this.exitCode;
  }

  kill(): Promise<number | null> {
    this.#signal('SIGKILL');
    return this.exitCode;
  }

  #lineOf(lines: readonly string[], pattern: RegExp): Promise<string> {
    return eventually(() => {
      const found = lines.find((line) => pattern.test(line));
      if (found === undefined) throw new Error(`no line matches ${pattern}: ${this.errors.join('\n')}`);
      return found;
    }, 40_000);
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    process.kill(-this.#child.pid, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
