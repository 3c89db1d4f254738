import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

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
    const failed = once(server, 'error').then(([error]) => Promise.reject(error));
    const [number] = await Promise.race([once(server.stdio[3] as Readable, 'data'), failed]);
    return new Display(`:${String(number).trim()}`, server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#server, 'exit');
    this.#server.kill();
    await ended;
  }
}
