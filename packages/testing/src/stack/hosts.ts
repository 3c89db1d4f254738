import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addHost, initCluster, joinCluster } from '@chat-web/gateway/tools';
import { type AnswerOf, getOrAdd } from '@chat-web/protocol';
import { eventually } from '../eventually.ts';
import type { HostNetworks } from '../network/host-networks.ts';
import { Postgres } from '../postgres.ts';
import type { Traffic } from './moving.ts';
import { eventsAt, Stack, type StackOptions } from './stack.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

export const CLUSTER_TOKEN = 'the-operators-token';

export interface Audit {
  /** Messages that were not delivered, and sends that were confirmed and did not arrive. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Sessions whose messages a webhook got in another order. */
  readonly disordered: readonly string[];
  /** Accounts that were unlinked, or linked again. */
  readonly relinked: readonly string[];
}

/** How an audit ends if nothing went wrong. */
export const CLEAN_AUDIT: Audit = { lost: [], doubled: [], disordered: [], relinked: [] };

/** How hosts are set up. */
export interface HostsOptions extends StackOptions {
  /** How many sessions each has room for. */
  readonly capacity?: number;
  /** The database has a standby. */
  readonly hasStandby?: boolean;
  /** The networks that the hosts are in; default: they share that of this machine. */
  readonly networks?: HostNetworks | undefined;
}

/** Of each gateway that has a network of its own. */
const PORT = 8_080;

/** The hosts of a cluster on this machine, each with its gateway. They share a simulator and a PostgreSQL server. */
export class Hosts implements AsyncDisposable {
  readonly postgres: Postgres;
  standby: Postgres | undefined;
  readonly #networks: HostNetworks | undefined;
  readonly #stacks = new Map<string, Stack>();
  #endpoint: WebhookEndpoint | undefined;

  private constructor(postgres: Postgres, networks: HostNetworks | undefined) {
    this.postgres = postgres;
    this.#networks = networks;
  }

  /** Starts hosts with these names. */
  static async start(names: readonly string[], options: HostsOptions = {}): Promise<Hosts> {
    const { networks, hasStandby = false } = options;
    const hosts = new Hosts(await Postgres.start(networks?.addressOf('engine')), networks);
    try {
      await initCluster(hosts.postgres.url());
      if (hasStandby) hosts.standby = await hosts.postgres.standby();
      for (const name of names) await hosts.add(name, options);
    } catch (error) {
      await hosts[Symbol.asyncDispose]();
      throw error;
    }
    return hosts;
  }

  async add(
    name: string,
    { settings, dataDir: given, capacity = 20, networks: _, hasStandby: __, ...options }: HostsOptions = {},
  ): Promise<Stack> {
    const dataDir = given ?? (await mkdtemp(join(tmpdir(), `chat-web-${name}-`)));
    const url = await addHost(this.postgres.url(), name);
    await joinCluster(url, dataDir);
    const [first] = this.#stacks.values();
    const own = {
      CHAT_WEB_TOKEN: CLUSTER_TOKEN,
      CHAT_WEB_CLUSTER_URL: [url, ...this.#standbyUrls(url)].join(','),
      CHAT_WEB_CLUSTER_SESSIONS: String(capacity),
    };
    const stack = await Stack.start({
      ...(await this.#placeOf(name)),
      ...options,
      dataDir,
      settings: { ...own, ...this.#addressOf(name), ...settings },
      ...(first ? { sharesSimulatorOf: first } : {}),
    });
    this.#stacks.set(name, stack);
    await this.#networks?.share(name, stack.simulator.port);
    return stack;
  }

  /** For the role of a host. */
  #standbyUrls(url: string): string[] {
    const { username } = new URL(url.replace('@/', '@local/'));
    return this.standby ? [this.standby.url('postgres', username)] : [];
  }

  /** The network of a host, if it has one of its own. */
  async #placeOf(name: string): Promise<StackOptions> {
    if (!this.#networks) return {};
    await this.#networks.add(name);
    return { through: this.#networks.through(name) };
  }

  #addressOf(name: string): Readonly<Record<string, string>> {
    if (!this.#networks) return {};
    return { CHAT_WEB_HOST: this.#networks.addressOf('peers', name), CHAT_WEB_PORT: String(PORT) };
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

  get all(): [Stack, ...Stack[]] {
    const [first, ...others] = this.#stacks.values();
    if (!first) throw new Error('there is no host');
    return [first, ...others];
  }

  /** From now on, audits look at a webhook of all sessions as well. */
  async deliverTo(endpoint: WebhookEndpoint): Promise<void> {
    const [{ client }] = this.all;
    await eventually(() => client.createWebhook({ url: endpoint.url, events: ['message'] }));
    this.#endpoint = endpoint;
  }

  /** The texts that each gateway reads as events of all hosts, by session. Fails if they differ. */
  async received(): Promise<Map<string, string[]>> {
    const [first = [], ...others] = await Promise.all(this.all.map((stack) => eventsAt(stack, '/events', ['message'])));
    for (const other of others)
      if (other.length !== first.length)
        throw new Error(`${other.length} events at one host, ${first.length} at another`);
    const texts = new Map<string, string[]>();
    for (const event of first)
      if (event.name === 'message') getOrAdd(texts, event.session, () => []).push(event.data.body);
    return texts;
  }

  /** What became of the texts of ended traffic. Waits until all that was written has been delivered. */
  async audit(traffics: readonly Traffic[]): Promise<Audit> {
    const endpoint = this.#endpoint;
    const missing = (received: ReadonlyMap<string, readonly string[]>) =>
      traffics.flatMap(({ session, inbound }) => [
        ...without(inbound, received.get(session) ?? []),
        ...(endpoint ? without(inbound, endpoint.textsOf(session)).map((text) => `${text} (webhook)`) : []),
      ]);
    await eventually(async () => {
      const lost = missing(await this.received());
      if (lost.length > 0) throw new Error(`not delivered: ${lost}`);
    }).catch(() => {}); // Listed as lost.
    const received = await eventually(() => this.received());
    const lost = missing(received);
    const [doubled, disordered, relinked] = [[] as string[], [] as string[], [] as string[]];
    for (const { session, account, network, inbound, outbound } of traffics) {
      const sent = await network.sentBy(account);
      lost.push(...without(outbound, sent));
      doubled.push(...repeated(received.get(session) ?? [], inbound), ...repeated(sent, outbound));
      doubled.push(...(endpoint?.duplicatesOf(session) ?? []).map((text) => `${text} (webhook)`));
      const inOrder = [...new Set(received.get(session))];
      const posted = endpoint?.textsOf(session) ?? inOrder;
      const longer = posted.length > inOrder.length ? posted : inOrder;
      const at = longer.findIndex((_, n) => posted[n] !== inOrder[n]);
      if (at >= 0) disordered.push(differenceAt(at, session, posted, inOrder));
      const { links, unlinks } = await network.linksOf(account);
      if (links !== 1 || unlinks !== 0) relinked.push(account);
    }
    return { lost, doubled, disordered, relinked };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The first one has the simulator.
    for (const stack of [...this.#stacks.values()].reverse()) await stack[Symbol.asyncDispose]();
    await this.standby?.[Symbol.asyncDispose]();
    await this.postgres[Symbol.asyncDispose]();
  }
}

/** Where a webhook got other texts than a reader of the events. */
function differenceAt(at: number, session: string, posted: readonly string[], read: readonly string[]): string {
  const around = (texts: readonly string[]) => texts.slice(Math.max(0, at - 2), at + 6).join(', ');
  return `${session}: posted ${around(posted)} (${posted.length}); read ${around(read)} (${read.length})`;
}

function without(texts: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return texts.filter((text) => !known.has(text));
}

/** Those of the texts that are in a list more than once. */
function repeated(list: readonly string[], texts: readonly string[]): string[] {
  const known = new Set(texts);
  const seen = new Set<string>();
  return list.filter((text) => {
    const isAgain = seen.has(text);
    seen.add(text);
    return isAgain && known.has(text);
  });
}
