import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { firstLineOf, untilEnded } from './child-programs.ts';

/** A virtual display, for browsers with windows. */
export class Display implements AsyncDisposable {
  readonly name: string;
  readonly #server: ChildProcess;

  private constructor(name: string, server: ChildProcess) {
    this.name = name;
    this.#server = server;
  }

  static async open(): Promise<Display> {
    const args = ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
    const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
    const number = await firstLineOf(server, server.stdio[3] as Readable);
    return new Display(`:${number.trim()}`, server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.kill();
    await untilEnded(this.#server);
  }
}
