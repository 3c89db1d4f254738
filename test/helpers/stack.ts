import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@chat-web/host';
import type { EventName, OperationMethods } from '@chat-web/protocol';
import {
  type Build,
  type PhoneMessage,
  type Simulator,
  type SimulatorSettings,
  startSimulator,
} from '@chat-web/simulator';
import { stanzaOf } from '../../scripts/example-world.ts';
import { type GatewayProcess, spawnGateway } from '../../scripts/gateway-process.ts';
import { EventLog } from './event-log.ts';
import { eventually } from './eventually.ts';

/** Numbers of the simulator's seeded accounts. */
export const ADA = '12025550101';
export const BEN = '12025550102';

/** The variable is set where stories run on the headless shell. */
function inHeadlessShell(): Record<string, string> {
  const { CHAT_WEB_HEADLESS_SHELL } = process.env;
  return CHAT_WEB_HEADLESS_SHELL ? { CHAT_WEB_HEADLESS_SHELL } : {};
}

/** How a stack is set up. */
export interface StackOptions {
  readonly simulator?: Partial<SimulatorSettings>;
  /** Which build of the page is served; default: the newest. */
  readonly build?: Build;
  readonly settings?: Readonly<Record<string, string>>;
  /** The working directory of the gateway. */
  readonly cwd?: string;
  /** The file that the gateway runs, if it belongs to another installation or to the test. */
  readonly main?: string;
  /** An empty folder for the data; a temporary one unless it is given. */
  readonly dataDir?: string;
  /** Another stack, whose simulator is shared: it must be the last to be disposed of. */
  readonly beside?: Stack;
}

/** The whole path for a story: a simulator, and a real gateway process that may be ended and restarted. */
export class Stack implements AsyncDisposable {
  readonly dataDir: string;
  readonly simulator: Simulator;
  gateway: GatewayProcess;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #ownsSimulator: boolean;
  readonly #logs: EventLog[] = [];

  private constructor(
    dataDir: string,
    simulator: Simulator,
    gateway: GatewayProcess,
    settings: Record<string, string>,
    ownsSimulator: boolean,
  ) {
    this.dataDir = dataDir;
    this.simulator = simulator;
    this.gateway = gateway;
    this.#settings = settings;
    this.#ownsSimulator = ownsSimulator;
  }

  static async start({
    simulator: simulated = {},
    build,
    settings = {},
    cwd,
    main,
    beside,
    ...given
  }: StackOptions = {}): Promise<Stack> {
    const dataDir = given.dataDir ?? (await mkdtemp(join(tmpdir(), 'chat-web-test-')));
    const simulator = beside?.simulator ?? (await startSimulator({ build, settings: simulated }));
    const all = {
      CHAT_WEB_PORT: '0',
      CHAT_WEB_LOG_LEVEL: 'debug',
      CHAT_WEB_DATA_DIR: dataDir,
      CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
      ...inHeadlessShell(),
      ...settings,
    };
    return new Stack(dataDir, simulator, await spawnGateway(all, { cwd, main }), all, beside === undefined);
  }

  get client(): OperationMethods {
    return createClient(this.address, { retries: 0 }); // Stories see every response of the gateway.
  }

  get address() {
    return { url: this.gateway.url, token: this.#settings.CHAT_WEB_TOKEN };
  }

  get phones() {
    return this.simulator.phones;
  }

  /** Starts another gateway on the same data, after the former one has ended. */
  async restartGateway(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    this.gateway = await spawnGateway({ ...this.#settings, ...settings });
  }

  /** Opens a session's event stream, with these events or the default ones, and records what arrives. */
  async listen(id: string, names?: readonly EventName[]): Promise<EventLog> {
    const log = await EventLog.open(this.address, id, names);
    this.#logs.push(log);
    return log;
  }

  /** Links a session to an account: start, scan, ready. */
  async link(id: string, number: string): Promise<void> {
    const { qr } = await this.client.startSession({ id });
    if (!qr) throw new Error(`session ${id} shows no QR`);
    await this.phones.scan(number, qr);
    await this.untilStatus(id, 'ready');
  }

  /** The same, with a marker that says a day ago: right after a link, numbers are not looked up. */
  async linkLongAgo(id: string, number: string): Promise<void> {
    await this.link(id, number);
    await this.client.stopSession({ id });
    const marker = join(this.dataDir, 'sessions', id, 'linked.json');
    const written = JSON.parse(await readFile(marker, 'utf8')) as object;
    await writeFile(
      marker,
      JSON.stringify({ ...written, linkedAt: new Date(Date.now() - 24 * 3_600_000).toISOString() }),
    );
    await this.client.startSession({ id });
    await this.untilStatus(id, 'ready');
  }

  /** A message as a phone has it. Waits until it arrives. */
  onPhone(number: string, messageId: string): Promise<PhoneMessage> {
    return eventually(async () => {
      const found = (await this.phones.messages(number)).find(({ id }) => id === stanzaOf(messageId));
      if (!found) throw new Error(`message ${messageId} is not on the phone of ${number}`);
      return found;
    });
  }

  async untilStatus(id: string, wanted: string, timeoutMs?: number): Promise<void> {
    await eventually(async () => {
      const { status, message } = await this.client.getSessionStatus({ id });
      if (status !== wanted) throw new Error(`session ${id} is ${status} (${message}), not ${wanted}`);
    }, timeoutMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const log of this.#logs) log.close();
    await this.gateway.end();
    if (this.#ownsSimulator) await this.simulator.close();
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}
