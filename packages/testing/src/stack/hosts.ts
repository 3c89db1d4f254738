import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addHost, initCluster, joinCluster } from '@chat-web/gateway/tools';
import type { AnswerOf } from '@chat-web/protocol';
import { BEN } from '../accounts.ts';
import { eventually } from '../eventually.ts';
import { Postgres } from '../postgres.ts';
import type { Traffic } from './moving.ts';
import { eventsAt, Stack, type StackOptions } from './stack.ts';

export const CLUSTER_TOKEN = 'the-operators-token';

export interface Audit {
  /** Messages that were not delivered, and sends that were confirmed and did not arrive. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly links: number;
  readonly unlinks: number;
}

/** How an audit ends if nothing went wrong. */
export const WHOLE: Audit = { lost: [], doubled: [], links: 1, unlinks: 0 };

/** The hosts of a cluster on this machine, each with its gateway. They share a simulator and a PostgreSQL server. */
export class Hosts implements AsyncDisposable {
  readonly postgres: Postgres;
  readonly #stacks = new Map<string, Stack>();

  private constructor(postgres: Postgres) {
    this.postgres = postgres;
  }

  /** Starts hosts with these names. `capacity`: how many sessions each has room for. */
  static async start(names: readonly string[], capacity = 20, options: StackOptions = {}): Promise<Hosts> {
    const hosts = new Hosts(await Postgres.start());
    try {
      await initCluster(hosts.postgres.url());
      for (const name of names) await hosts.add(name, capacity, options);
    } catch (error) {
      await hosts[Symbol.asyncDispose]();
      throw error;
    }
    return hosts;
  }

  async add(name: string, capacity = 20, { settings, dataDir: given, ...options }: StackOptions = {}): Promise<Stack> {
    const dataDir = given ?? (await mkdtemp(join(tmpdir(), `chat-web-${name}-`)));
    const url = await addHost(this.postgres.url(), name);
    await joinCluster(url, dataDir);
    const [beside] = this.#stacks.values();
    const own = {
      CHAT_WEB_TOKEN: CLUSTER_TOKEN,
      CHAT_WEB_CLUSTER_URL: url,
      CHAT_WEB_CLUSTER_SESSIONS: String(capacity),
    };
    const stack = await Stack.start({
      ...options,
      dataDir,
      settings: { ...own, ...settings },
      ...(beside ? { beside } : {}),
    });
    this.#stacks.set(name, stack);
    return stack;
  }

  at(name: string): Stack {
    const stack = this.#stacks.get(name);
    if (!stack) throw new Error(`there is no host ${name}`);
    return stack;
  }

  /** A host as the gateway of another one, or of itself, lists it. */
  async view(name: string, at = name): Promise<AnswerOf<'listHosts'>['hosts'][number]> {
    const { hosts } = await this.at(at).client.listHosts();
    const view = hosts.find((host) => host.name === name);
    if (!view) throw new Error(`host ${name} is not listed`);
    return view;
  }

  get all(): Stack[] {
    return [...this.#stacks.values()];
  }

  /** The texts that the journals of all hosts have of a session. Each host has those that arrived there. */
  async received(session: string): Promise<string[]> {
    const pages = await Promise.all(this.all.map((stack) => eventsAt(stack, '/events', ['message'])));
    return pages
      .flat()
      .flatMap((event) => (event.name === 'message' && event.session === session ? [event.data.body] : []));
  }

  /** What became of the texts of ended traffic. Waits until all that was written has been delivered. */
  async audit(session: string, account: string, traffics: readonly Traffic[]): Promise<Audit> {
    const inbound = traffics.flatMap((one) => one.inbound);
    const outbound = traffics.flatMap((one) => one.outbound);
    await eventually(async () => {
      const known = new Set(await this.received(session));
      const missing = inbound.filter((text) => !known.has(text));
      if (missing.length > 0) throw new Error(`not delivered: ${missing}`);
    }).catch(() => {}); // Listed as lost.
    const [{ phones }] = this.all as [Stack];
    const arrived = (await this.received(session)).filter((body) => inbound.includes(body));
    const sent = (await phones.messages(BEN)).flatMap(({ body = '' }) => (outbound.includes(body) ? [body] : []));
    const { devices, unlinks } = await phones.account(account);
    return {
      lost: [...inbound.filter((text) => !arrived.includes(text)), ...outbound.filter((text) => !sent.includes(text))],
      doubled: [...repeated(arrived), ...repeated(sent)],
      links: devices.length,
      unlinks: unlinks.length,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The first one has the simulator.
    for (const stack of [...this.#stacks.values()].reverse()) await stack[Symbol.asyncDispose]();
    await this.postgres[Symbol.asyncDispose]();
  }
}

function repeated(texts: readonly string[]): string[] {
  return texts.filter((text, at) => texts.indexOf(text) !== at);
}
