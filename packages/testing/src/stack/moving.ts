import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayError } from '@chat-web/protocol';
import { BEN } from '../accounts.ts';
import { downloadedBytes } from '../media.ts';
import type { Stack } from './stack.ts';

/** Moves a session from one gateway to another, as a program does. Resolves with the size of the archive, in bytes. */
export async function move(from: Stack, to: Stack, id: string): Promise<number> {
  const { data, contentDigest, size } = await from.client.exportSession({ id });
  await to.client.importSession({ id, archive: data, contentDigest });
  return size;
}

/** Exports a session, which has moved from then on. Resolves with the bytes of the archive. */
export async function archiveOf(stack: Stack, id: string): Promise<Buffer> {
  return downloadedBytes(await stack.client.exportSession({ id }));
}

/** The network beyond a gateway, with the people who write to accounts. */
export interface Network {
  write(account: string, body: string): Promise<void>;
  /** The texts of an account that have arrived, each as often as it did. */
  sentBy(account: string): Promise<string[]> | string[];
  /** How many devices were linked, and unlinked. */
  linksOf(account: string): Promise<Links> | Links;
}

interface Links {
  readonly links: number;
  readonly unlinks: number;
}

/** The phones of a stack's simulator, of which Ben's writes and gets all answers. */
function phonesOf({ phones }: Stack): Network {
  return {
    write: async (account, body) => {
      await phones.send(BEN, { to: account, body });
    },
    sentBy: async () => (await phones.messages(BEN)).map(({ body = '' }) => body),
    linksOf: async (account) => {
      const { devices, unlinks } = await phones.account(account);
      return { links: devices.length, unlinks: unlinks.length };
    },
  };
}

export interface TrafficOptions {
  readonly session: string;
  readonly account: string;
  /** Tells its texts from those of others. */
  readonly name?: string;
  /** Default: the phones of the first stack. */
  readonly network?: Network;
  /** From the end of a send to the next one. */
  readonly pauseMs?: number;
}

/** A person who writes to an account, and a program that sends from it through whichever gateway has its session. */
export class Traffic {
  readonly session: string;
  readonly account: string;
  readonly network: Network;
  /** The texts sent to the account, and those sent from it. Each was confirmed. */
  readonly inbound: string[] = [];
  readonly outbound: string[] = [];
  /** The errors of sends that were tried again. */
  readonly failures: string[] = [];
  readonly #stacks: readonly [Stack, ...Stack[]];
  readonly #name: string;
  readonly #pauseMs: number;
  #isOver = false;
  readonly #done: Promise<unknown>;

  constructor(
    stacks: readonly [Stack, ...Stack[]],
    { session, account, name = '', network = phonesOf(stacks[0]), pauseMs = 100 }: TrafficOptions,
  ) {
    this.#stacks = stacks;
    this.session = session;
    this.account = account;
    this.network = network;
    this.#name = name;
    this.#pauseMs = pauseMs;
    this.#done = Promise.all([this.#write(), this.#answer()]);
  }

  /** Stops; resolves once the sends in progress are confirmed. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  async #write(): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      const body = `in ${this.#name}${n}`;
      await this.network.write(this.account, body);
      this.inbound.push(body);
      await delay(this.#pauseMs);
    }
  }

  async #answer(): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      const body = `out ${this.#name}${n}`;
      await this.#send(body);
      this.outbound.push(body);
      await delay(this.#pauseMs);
    }
  }

  /** Sends with the same key to each gateway in turn, until the send is confirmed. */
  async #send(body: string): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const { client } = this.#stacks[attempt % this.#stacks.length] ?? this.#stacks[0];
      try {
        const message = { id: this.session, type: 'text', to: BEN, body } as const;
        await client.sendMessage(message, { idempotencyKey: `key of ${body}` });
        return;
      } catch (error) {
        const { code, message } = error as GatewayError;
        this.failures.push(`${code}: ${message}`);
        if (attempt > 2_000) throw new Error(`not sent: ${message}`);
        await delay(50);
      }
    }
  }
}
