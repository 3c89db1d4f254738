import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type GatewayProcess, type SpawnOptions, spawnGateway } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import type { EventName, OperationMethods, SessionEvent } from '@chat-web/protocol';
import {
  type AccountSeed,
  type Build,
  type DisturbArguments,
  type Page,
  type PhoneMessage,
  type Simulator,
  type SimulatorSettings,
  startSimulator,
} from '@chat-web/simulator';
import { eventually } from '../eventually.ts';
import { EventLog } from './event-log.ts';
import { stanzaOf } from './example-world.ts';

export { readQr } from '@chat-web/simulator';

/** The variable is set where stories run on the headless shell. */
function inHeadlessShell(): Record<string, string> {
  const { CHAT_WEB_HEADLESS_SHELL } = process.env;
  return CHAT_WEB_HEADLESS_SHELL ? { CHAT_WEB_HEADLESS_SHELL } : {};
}

/** How often nothing new is found before a stack counts as idle. */
const QUIET_ROUNDS = 3;
const MB = 1_048_576;
const SETTLED_TIMEOUT_MS = 120_000;

/** How a stack is set up, and its gateway started. */
export interface StackOptions extends Omit<SpawnOptions, 'endsWithUs'> {
  readonly simulator?: Partial<SimulatorSettings>;
  /** Which build of the page is served; default: the newest. */
  readonly build?: Build;
  /** Default: those of the simulator. */
  readonly accounts?: readonly AccountSeed[] | undefined;
  readonly settings?: Readonly<Record<string, string>>;
  /** Besides those for the simulator. */
  readonly browserArgs?: readonly string[];
  /** An empty folder for the data; a temporary one unless it is given. */
  readonly dataDir?: string;
  /** Another stack, whose simulator is shared: it must be the last to be disposed of. */
  readonly sharesSimulatorOf?: Stack;
}

/** The whole path for a story: a simulator, and a real gateway process that may be ended and restarted. */
export class Stack implements AsyncDisposable {
  dataDir!: string;
  simulator!: Simulator;
  gateway!: GatewayProcess;
  readonly #options: StackOptions;
  #settings: Readonly<Record<string, string>> = {};
  #spawn: SpawnOptions = {};
  readonly #logs: EventLog[] = [];

  constructor(options: StackOptions) {
    this.#options = options;
  }

  static async start(options: StackOptions = {}): Promise<Stack> {
    const stack = new Stack(options);
    try {
      await stack.open();
    } catch (error) {
      await stack[Symbol.asyncDispose]();
      throw error;
    }
    return stack;
  }

  /** Starts the simulator and the gateway. */
  async open(): Promise<void> {
    const {
      simulator: simulated = {},
      build,
      accounts,
      settings = {},
      browserArgs = [],
      sharesSimulatorOf,
      dataDir,
      ...spawn
    } = this.#options;
    this.dataDir = dataDir ?? (await mkdtemp(join(tmpdir(), 'chat-web-test-')));
    this.simulator = sharesSimulatorOf?.simulator ?? (await startSimulator({ build, accounts, settings: simulated }));
    this.#settings = {
      CHAT_WEB_PORT: '0',
      CHAT_WEB_LOG_LEVEL: 'debug',
      CHAT_WEB_DATA_DIR: this.dataDir,
      CHAT_WEB_BROWSER_ARGS: JSON.stringify([...this.simulator.browserArgs, ...browserArgs]),
      ...inHeadlessShell(),
      ...settings,
    };
    this.#spawn = spawn;
    this.gateway = await spawnGateway(this.#settings, spawn);
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
  async restartGateway(settings: Readonly<Record<string, string>> = {}, spawn: SpawnOptions = {}): Promise<void> {
    this.gateway = await spawnGateway({ ...this.#settings, ...settings }, { ...this.#spawn, ...spawn });
  }

  /** Opens a session's event stream, with these events or the default ones, and records what arrives. */
  async listen(id: string, names?: readonly EventName[]): Promise<EventLog> {
    const log = await EventLog.open(this.address, id, names);
    this.#logs.push(log);
    return log;
  }

  /** Links a session to an account: start, scan, ready. */
  async link(id: string, number: string): Promise<void> {
    await this.client.startSession({ id });
    // On a busy machine, the answer may come before the QR.
    const { qr } = await eventually(() => this.client.getQr({ id }));
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

  /**
   * Waits until the page of a session has that as its last message to a number. The network may not have confirmed it,
   * and the page may not have stored it.
   */
  async untilInPage(id: string, to: string, body: string): Promise<void> {
    await eventually(async () => {
      const chats = await this.client.listChats({ id });
      const last = chats.find((chat) => chat.id === `${to}@c.us`)?.lastMessage?.body;
      if (last !== body)
        throw new Error(`the last message to ${to} in the page of session ${id} is ${last}, not ${body}`);
    });
  }

  /**
   * Waits until the page of an account has stored a message that the network does not confirm, and the gateway has the
   * id of one that was sent with a key.
   */
  async untilUnconfirmed(id: string, number: string): Promise<void> {
    await eventually(async () => {
      if (!(await this.#pageOf(number)).isWaiting) throw new Error(`the page of ${number} waits for no answer`);
    });
    await this.client.listChats({ id }); // Its answer is behind the id.
  }

  /** Causes an event in the open page of an account. */
  async disturb(number: string, ...disturbance: DisturbArguments): Promise<void> {
    await this.phones.disturb((await this.#pageOf(number)).id, ...disturbance);
  }

  async #pageOf(number: string): Promise<Page> {
    const page = (await this.phones.pages()).find((one) => one.number === number);
    if (!page) throw new Error(`no page of ${number} is open`);
    return page;
  }

  /** The names of all files that are on their way to a session or from one. */
  async spooled(): Promise<string[]> {
    const entries = await readdir(join(this.dataDir, 'spool'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** The memory of a session in MB; 0 until it is measured. */
  async memoryMb(id: string): Promise<number> {
    const { memory } = await this.client.getSessionStatus({ id });
    return memory ? (memory.workerBytes + memory.browserBytes) / MB : 0;
  }

  async untilStatus(id: string, wanted: string, timeoutMs?: number): Promise<void> {
    await eventually(async () => {
      const { status, message } = await this.client.getSessionStatus({ id });
      if (status !== wanted) throw new Error(`session ${id} is ${status} (${message}), not ${wanted}`);
    }, timeoutMs);
  }

  /** Creates a group on a phone, and waits until the pages of its members have it. */
  async createGroup(
    ...args: Parameters<Simulator['phones']['createGroup']>
  ): ReturnType<Simulator['phones']['createGroup']> {
    const group = await this.phones.createGroup(...args);
    await this.settled();
    return group;
  }

  /**
   * Waits until the phones, the pages, the workers and the gateway are idle: what has not happened by then does not
   * happen by itself. Fails after two minutes, with what still moves.
   */
  async settled(): Promise<void> {
    const deadline = Date.now() + SETTLED_TIMEOUT_MS;
    for (let quiet = 0, before = ''; quiet < QUIET_ROUNDS; ) {
      await this.phones.settled();
      await this.#passThroughPages();
      const position = await this.#position();
      quiet = position === before ? quiet + 1 : 0;
      if (quiet === 0 && Date.now() > deadline) {
        const pages = (await this.phones.pages()).map(({ number, socketState }) => `${number} ${socketState}`);
        throw new Error(`not idle after two minutes: ${before} became ${position}; pages: ${pages}`);
      }
      before = position;
    }
  }

  /** A call of a page is behind everything that the page has reported. */
  async #passThroughPages(): Promise<void> {
    const { sessions } = await this.client.listSessions();
    const ready = sessions.filter(({ status }) => status === 'ready');
    // One that ends meanwhile has nothing more to report.
    await Promise.allSettled(ready.map(({ id }) => this.client.listChats({ id })));
  }

  /** Where the journal is, and what the logs have received. */
  async #position(): Promise<string> {
    const headers = jsonHeaders(this);
    const answer = await fetch(`${this.gateway.url}/events?limit=1`, { headers });
    const { next } = (await answer.json()) as { readonly next: string };
    return `journal at ${next}, events received ${this.#logs.map(({ events }) => events.length)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const log of this.#logs) log.close();
    await this.gateway?.end(); // It may have failed to start.
    if (!this.#options.sharesSimulatorOf) await this.simulator?.close();
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** For a request that returns JSON. */
function jsonHeaders({ address: { token } }: Stack): Record<string, string> {
  return { Accept: 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
}

const MAX_PAGE_EVENTS = 1_000;

/** All events of a session that its gateway has stored, oldest first: with these names, or the default ones. */
export async function storedEvents(stack: Stack, id: string, names?: readonly EventName[]): Promise<SessionEvent[]> {
  const events = await eventsAt(stack, `/sessions/${id}/events`, names);
  return events.map(({ session: _, ...event }) => event as SessionEvent);
}

/** All events at a path that a gateway has stored, oldest first. */
export async function eventsAt(
  stack: Stack,
  path: string,
  names?: readonly EventName[],
): Promise<(SessionEvent & { readonly session: string })[]> {
  const named = names ? `&events=${names}` : '';
  const headers = jsonHeaders(stack);
  const all: (SessionEvent & { readonly session: string })[] = [];
  for (let after = 'oldest'; ; ) {
    const answer = await fetch(`${stack.gateway.url}${path}?limit=${MAX_PAGE_EVENTS}&after=${after}${named}`, {
      headers,
    });
    const { events, next } = (await answer.json()) as {
      events: { event: string; session: string; data: unknown }[];
      next: string;
    };
    if (events.length === 0) return all;
    all.push(...events.map(({ event, session, data }) => ({ name: event, session, data }) as (typeof all)[number]));
    after = next;
  }
}

const MAIN = fileURLToPath(import.meta.resolve('@chat-web/gateway/main'));

/** Runs a gateway until it exits by itself. */
export async function runGateway(settings: Readonly<Record<string, string>>) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, ...settings } });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
