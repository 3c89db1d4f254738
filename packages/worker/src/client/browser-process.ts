import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import { decodeMessage, errorText, type GatewayMessage } from '@chat-web/protocol';
import type { BrowserSearch } from './browser.ts';
import { type LaunchOptions, launchOptions } from './launch-options.ts';
import { noteVersion, requireKnownFormat } from './profile-version.ts';

/** How much of the browser's output is kept, for an error. */
const KEPT_OUTPUT = 4_096;
const MAX_REASON_LENGTH = 500;
/** The file descriptors of Chromium's protocol pipes: it reads commands from the first. */
const PIPES = { commands: 3, answers: 4 };

/**
 * A started browser: its output waits in its pipes until it is connected. It leads its own process group, and is killed
 * when this process exits; if this process is killed, the browser's pipes close, and it exits.
 */
export class BrowserProcess {
  readonly child: ChildProcess;
  /** Why it runs without Chromium's sandbox; undefined if it has one. */
  readonly unsandboxed: string | undefined;
  /** Resolves with the reason once the browser has exited, or failed to start. */
  readonly exited: Promise<string>;
  readonly #options: LaunchOptions;
  #output = '';

  constructor(options: LaunchOptions) {
    const { executablePath, profileDir, args, unsandboxed } = options;
    this.#options = options;
    mkdirSync(profileDir, { recursive: true });
    this.unsandboxed = unsandboxed;
    const child = spawn(executablePath, [...args], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.child = child;
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => resolve(`the browser did not start (${errorText(error)})`));
      child.once('exit', (code, signal) => resolve(`the browser exited (${signal ?? `code ${code}`})`));
    });
    // A browser that failed to start has no streams.
    for (const stream of child.stdio ?? []) stream?.on('error', () => {}); // Its exit is handled elsewhere.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
    });
    const kill = () => this.kill();
    process.once('exit', kill);
    void this.exited.then(() => process.off('exit', kill));
  }

  /** Its product and version are known: it has opened the profile. Never throws. */
  onVersion(product: string): void {
    try {
      noteVersion(this.#options, product);
    } catch {
      // On a full disk: the version before is kept.
    }
  }

  /** The pipes for commands and answers. Throws if the browser failed to start. */
  get pipes(): { readonly commands: Duplex; readonly answers: Readable } {
    const [commands, answers] = [this.child.stdio?.[PIPES.commands], this.child.stdio?.[PIPES.answers]];
    if (!commands || !answers) throw new Error('the browser did not start');
    return { commands: commands as Duplex, answers: answers as Readable };
  }

  /** True from its start to its exit. */
  get isRunning(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The end of the browser's output, on one line. */
  get lastOutput(): string {
    return this.#output.trim().replace(/\s+/g, ' ').slice(-MAX_REASON_LENGTH);
  }

  /**
   * Kills the browser's process group, even after the browser has exited: a frozen renderer does not notice the exit,
   * and the headless shell does not kill it. Resolves when the browser has exited.
   */
  async kill(): Promise<void> {
    if (this.child.pid === undefined) return;
    try {
      // The group's id is not reused while one of its processes lives.
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      return; // No process of the group lives.
    }
    await this.exited;
  }
}

/** The browser started for a session, or why there is none. */
export type Launch =
  | { readonly browser: BrowserProcess }
  | {
      readonly failed: 'BROWSER_NOT_FOUND' | 'LAUNCH_FAILED';
      readonly error: unknown;
      /** Whether another start may succeed. */
      readonly retry: boolean;
    };

/** Starts the browser that the gateway's first message requests; undefined if that is not a start. */
export function launchFor(firstLine: Uint8Array, env: BrowserSearch['env']): Launch | undefined {
  // Not validated before the code for that is loaded: the gateway is of the same build.
  const message = decodeMessage(firstLine) as GatewayMessage;
  if (message.type !== 'start') return undefined;
  let options: LaunchOptions;
  try {
    options = launchOptions(message.options, env);
  } catch (error) {
    return { failed: 'BROWSER_NOT_FOUND', error, retry: false };
  }
  try {
    requireKnownFormat(options);
  } catch (error) {
    return { failed: 'LAUNCH_FAILED', error, retry: false };
  }
  try {
    return { browser: new BrowserProcess(options) };
  } catch (error) {
    return { failed: 'LAUNCH_FAILED', error, retry: true };
  }
}
