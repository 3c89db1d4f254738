import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { firstLineOf } from '../child-programs.ts';
import { fixture } from '../fixture.ts';

const run = promisify(execFile);

/** What a host is connected to: the database, the internet, and the other hosts with their clients. */
export const LINKS = ['engine', 'internet', 'peers'] as const;
export type Link = (typeof LINKS)[number];

/** Test runs side by side do not use the same addresses, nor does one after another: connections may be left. */
const PREFIX = `cw${process.pid % 100}`;
let lastSubnet = process.pid % 100;
const OWN = 1;
/** Where a link leads that is cut: a bridge that is down. Its packets must not reach this machine by another way. */
const HOLE = `${PREFIX}hole`;
const FIRST_HOST = 11;

/**
 * Hosts with networks of their own on this machine: each has an address in three networks, as has this process, and can
 * be cut off from each of them. It needs root.
 */
export class HostNetworks implements AsyncDisposable {
  readonly #hosts: string[] = [];
  readonly #subnet: number;
  readonly #relays: ChildProcess[] = [];
  readonly #ports = new Set<number>();

  private constructor() {
    lastSubnet = (lastSubnet + 1) % 100;
    this.#subnet = 100 + lastSubnet;
  }

  /** Undefined where namespaces cannot be created. */
  static async create(): Promise<HostNetworks | undefined> {
    const networks = new HostNetworks();
    try {
      await ip('link', 'add', HOLE, 'type', 'bridge');
      for (const link of LINKS) {
        await ip('link', 'add', bridge(link), 'type', 'bridge');
        await ip('addr', 'add', `${networks.addressOf(link)}/24`, 'dev', bridge(link));
        await ip('link', 'set', bridge(link), 'up');
      }
    } catch {
      await networks[Symbol.asyncDispose]();
      return undefined;
    }
    return networks;
  }

  async add(host: string): Promise<void> {
    this.#hosts.push(host);
    const namespace = namespaceOf(host);
    await ip('netns', 'add', namespace);
    await ip('-n', namespace, 'link', 'set', 'lo', 'up');
    for (const link of LINKS) {
      const end = this.#endOf(link, host);
      await ip('link', 'add', end, 'type', 'veth', 'peer', 'name', link, 'netns', namespace);
      await ip('-n', namespace, 'addr', 'add', `${this.addressOf(link, host)}/24`, 'dev', link);
      await ip('-n', namespace, 'link', 'set', link, 'up');
      await ip('link', 'set', end, 'master', bridge(link), 'up');
    }
  }

  /** The address of a host in a network, or that of this process. */
  addressOf(link: Link, host?: string): string {
    return `10.${this.#subnet}.${LINKS.indexOf(link)}.${host === undefined ? OWN : FIRST_HOST + this.#hosts.indexOf(host)}`;
  }

  /** A command that runs another one on a host, as its own process. */
  through(host: string): readonly string[] {
    return ['ip', 'netns', 'exec', namespaceOf(host)];
  }

  /** A server that listens on the loopback address of this machine is reached there by a host, through the internet. */
  async share(host: string, port: number): Promise<void> {
    const [here, loopback] = [this.addressOf('internet'), '127.0.0.1'];
    if (!this.#ports.has(port)) await this.#relay([], here, loopback, port);
    this.#ports.add(port);
    await this.#relay(this.through(host), loopback, here, port);
  }

  async #relay(through: readonly string[], from: string, to: string, port: number): Promise<void> {
    const [program = '', ...args] = [...through, process.execPath, fixture('relay.mjs'), from, to, String(port)];
    const relay = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#relays.push(relay);
    await firstLineOf(relay, relay.stdout);
  }

  /** From now on all packets between a host and a network are lost, as if a cable was cut beyond the next switch. */
  async cut(host: string, ...links: readonly Link[]): Promise<void> {
    for (const link of links) await ip('link', 'set', this.#endOf(link, host), 'master', HOLE);
  }

  async heal(host: string, ...links: readonly Link[]): Promise<void> {
    for (const link of links) await ip('link', 'set', this.#endOf(link, host), 'master', bridge(link));
  }

  #endOf(link: Link, host: string): string {
    return `${PREFIX}${link[0]}${this.#hosts.indexOf(host)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const relay of this.#relays) relay.kill();
    for (const host of this.#hosts) {
      // A namespace is removed some time after its name, and its ends with it.
      for (const link of LINKS) await ip('link', 'del', this.#endOf(link, host)).catch(() => {});
      await ip('netns', 'del', namespaceOf(host)).catch(() => {});
    }
    for (const name of [HOLE, ...LINKS.map(bridge)]) await ip('link', 'del', name).catch(() => {});
  }
}

const bridge = (link: Link) => `${PREFIX}${link}`;
const namespaceOf = (host: string) => `${PREFIX}${host}`;

async function ip(...args: readonly string[]): Promise<void> {
  await run('ip', args);
}
