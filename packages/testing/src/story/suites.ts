import { type GatewayProcess, spawnGateway } from '@chat-web/gateway/tools';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { saveSession } from '../folders.ts';
import { freshFolder, sharedFolder } from '../hooks/index.ts';
import { Stack, type StackOptions } from '../stack/stack.ts';

/** A stack that the tests of a suite share. */
export function sharedStack(options: StackOptions = {}): Stack {
  const stack = new Stack(options);
  beforeAll(() => stack.open());
  afterAll(() => stack[Symbol.asyncDispose]());
  return stack;
}

/** Expects that each of these calls is refused, with an error that has these fields. */
export async function expectRefused(calls: readonly Promise<unknown>[], error: object): Promise<void> {
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason: expect.objectContaining(error) })));
}

interface GatewayOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Sessions with saved auth, which do not start by themselves. */
  readonly sessions?: readonly string[];
}

/** A gateway process without a simulator, whose sessions do not run. */
class LoneGateway {
  readonly dataDir: string;
  readonly #options: GatewayOptions;
  #process: GatewayProcess | undefined;

  constructor(dataDir: string, options: GatewayOptions) {
    this.dataDir = dataDir;
    this.#options = options;
  }

  get #running(): GatewayProcess {
    if (!this.#process) throw new Error('the gateway does not run');
    return this.#process;
  }

  get url(): string {
    return this.#running.url;
  }

  get pid(): number {
    return this.#running.pid;
  }

  get log(): readonly string[] {
    return this.#running.log;
  }

  async saveSessions(): Promise<void> {
    for (const id of this.#options.sessions ?? []) await saveSession(this.dataDir, id);
  }

  /** Starts it, again if it has ended, with its own settings and these. */
  readonly start = async (settings: Readonly<Record<string, string>> = {}): Promise<this> => {
    this.#process = await spawnGateway({
      CHAT_WEB_PORT: '0',
      CHAT_WEB_DATA_DIR: this.dataDir,
      CHAT_WEB_AUTO_START_SESSIONS: 'no',
      ...this.#options.settings,
      ...settings,
    });
    return this;
  };

  async end(signal?: NodeJS.Signals): Promise<void> {
    await this.#process?.end(signal);
  }
}

/** A gateway that the tests of a suite share. */
export function sharedGateway(options: GatewayOptions = {}): LoneGateway {
  const gateway = new LoneGateway(sharedFolder(), options);
  beforeAll(async () => {
    await gateway.saveSessions();
    await gateway.start();
  });
  afterAll(() => gateway.end());
  return gateway;
}

/** A gateway that each test starts itself, on a new folder. */
export function freshGateway(options: GatewayOptions = {}): LoneGateway {
  const gateway = new LoneGateway(freshFolder(), options);
  beforeEach(() => gateway.saveSessions());
  afterEach(() => gateway.end());
  return gateway;
}
