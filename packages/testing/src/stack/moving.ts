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

/** A person who writes to an account, and a program that sends from it through whichever gateway has its session. */
export class Traffic {
  /** The texts sent to the account, and those sent from it. Each was confirmed. */
  readonly inbound: string[] = [];
  readonly outbound: string[] = [];
  /** The errors of sends that were tried again. */
  readonly failures: string[] = [];
  readonly #stacks: readonly Stack[];
  readonly #account: string;
  readonly #name: string;
  readonly #session: string;
  #isOver = false;
  readonly #done: Promise<unknown>;

  /** `name`: tells its texts from those of others. */
  constructor(stacks: readonly Stack[], session: string, account: string, name = '') {
    this.#stacks = stacks;
    this.#session = session;
    this.#account = account;
    this.#name = name;
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
      await this.#stacks[0]?.phones.send(BEN, { to: this.#account, body });
      this.inbound.push(body);
      await delay(100);
    }
  }

  async #answer(): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      const body = `out ${this.#name}${n}`;
      await this.#send(body);
      this.outbound.push(body);
      await delay(100);
    }
  }

  /** Sends with the same key to each gateway in turn, until the send is confirmed. */
  async #send(body: string): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const stack = this.#stacks[attempt % this.#stacks.length] as Stack;
      try {
        const message = { id: this.#session, type: 'text', to: BEN, body } as const;
        await stack.client.sendMessage(message, { idempotencyKey: `key of ${body}` });
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
