import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, launch } from 'puppeteer';
import type { Simulator } from '../../dist/index.js';
import { launchOptions } from './shared-browser.ts';

/** A profile on the disk, in which one browser at a time has the page open. */
export class Profile implements AsyncDisposable {
  readonly #simulator: Simulator;
  readonly #folder: string;
  #browser: Browser | undefined;

  private constructor(simulator: Simulator, folder: string) {
    this.#simulator = simulator;
    this.#folder = folder;
  }

  static async create(simulator: Simulator): Promise<Profile> {
    return new Profile(simulator, await mkdtemp(join(tmpdir(), 'chat-web-profile-')));
  }

  /** Resolves once the page is loaded. */
  async start(): Promise<void> {
    const options = launchOptions(this.#simulator.browserArgs);
    this.#browser = await launch({ ...options, userDataDir: this.#folder });
    const [page] = await this.#browser.pages();
    await page?.goto('https://web.whatsapp.com/');
  }

  /** Closes the browser as a user does. */
  async stop(): Promise<void> {
    await this.#browser?.close();
    this.#browser = undefined;
  }

  /** Kills all processes of the browser at once, without a chance to write. */
  async kill(): Promise<void> {
    const child = this.#browser?.process();
    if (!child?.pid) return;
    const closed = once(child, 'close');
    process.kill(-child.pid, 'SIGKILL');
    await closed;
    this.#browser = undefined;
  }

  /** A copy of the profile as it is on the disk now. */
  async copy(): Promise<Profile> {
    const copy = await Profile.create(this.#simulator);
    await cp(this.#folder, copy.#folder, { recursive: true, verbatimSymlinks: true });
    return copy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
