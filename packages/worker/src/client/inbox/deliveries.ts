import { errorText, networkId, type OpenAck, OVERLAP_SECONDS } from '@chat-web/protocol';
import * as v from 'valibot';
import { wasNavigated } from '../page-errors.ts';
import type { ReceivedSignal } from '../page-link.ts';
import { toAck } from '../resources.ts';
import { AccountEvents, type AccountEventsDependencies } from './account-events.ts';
import { Inbox, type InboxDependencies } from './inbox.ts';

/** How many messages to look up at once. */
const ACKS_AT_ONCE = 50;
/** The number of messages whose acks the gateway remembers. */
const MAX_NEW_ACKS = 400;

export interface DeliveriesDependencies extends AccountEventsDependencies, InboxDependencies {
  /** Messages whose acks may have increased while no worker ran. */
  readonly openAcks: readonly OpenAck[];
}

/** What the page reports of its account: messages, acks and changes; live ones, and those that were missed. */
export class Deliveries {
  readonly inbox: Inbox;
  readonly #dependencies: DeliveriesDependencies;
  readonly #accountEvents: AccountEvents;
  /** Counts what interrupts a catch-up: the loss of the page or its connection, the end, and another catch-up. */
  #interruptions = 0;
  #openAcks: readonly OpenAck[];
  #isOver = false;

  constructor(dependencies: DeliveriesDependencies) {
    this.#dependencies = dependencies;
    this.#openAcks = dependencies.openAcks;
    this.inbox = new Inbox(dependencies);
    this.#accountEvents = new AccountEvents(dependencies);
  }

  /** The page reports something live. */
  onSignal({ is, model, id, ack, name, data, row, happenedAt }: ReceivedSignal): void {
    if (this.#isOver) return;
    if (is === 'message') this.inbox.onMessage(model);
    else if (is === 'ack') this.#onAck(id, ack);
    else if (is === 'change') this.#accountEvents.onChange({ name, data, row, happenedAt });
    else if (is === 'own' && v.is(networkId, id)) this.#dependencies.report({ name: 'own_message', id });
  }

  /** The account is being linked: everything until now is history. */
  discardHistory(): void {
    this.inbox.discardHistory();
    this.#accountEvents.discardHistory();
  }

  /** The page or its connection is gone: what is live is held back until the next catch-up. */
  pause(): void {
    this.inbox.pause();
    this.#accountEvents.pause();
    this.#interruptions += 1;
  }

  /** Delivers what was missed, and then live. Never rejects. */
  async catchUp(): Promise<void> {
    this.#interruptions += 1;
    const current = this.#interruptions;
    const isInterrupted = () => this.#interruptions !== current;
    const works = [
      () => this.inbox.catchUp(),
      () => this.#accountEvents.catchUp(),
      () => this.#readAcks(isInterrupted),
    ];
    for (const work of works) {
      if (isInterrupted()) return;
      try {
        await work();
      } catch (error) {
        if (wasNavigated(error) || isInterrupted()) return;
        this.#dependencies.log('warn', 'catching up with missed messages failed', { error: errorText(error) });
      }
    }
  }

  /** Nothing is delivered any more. */
  end(): void {
    this.#isOver = true;
    this.pause();
  }

  #onAck(id: unknown, ack: unknown): void {
    const { report, log } = this.#dependencies;
    if (typeof id === 'string' && typeof ack === 'number' && Number.isFinite(ack))
      report({ name: 'message_ack', id, ack: toAck(ack) });
    else log('error', 'ack discarded', { error: 'the id is not a text, or the ack is not a number' });
  }

  /** Reports acks of sent messages that arrived while nothing listened. */
  async #readAcks(isInterrupted: () => boolean): Promise<void> {
    const { run, report, deliveredUntil } = this.#dependencies;
    while (this.#openAcks.length > 0) {
      const some = this.#openAcks.slice(0, ACKS_AT_ONCE);
      const known = new Map(some.map(({ id, ack }) => [id, ack]));
      const found = await run('acksOf', [...known.keys()]);
      if (isInterrupted()) return;
      this.#openAcks = this.#openAcks.slice(some.length);
      for (const { id, ack } of found)
        if (typeof ack === 'number' && ack !== 0 && toAck(ack) !== known.get(id))
          report({ name: 'message_ack', id, ack: toAck(ack) });
    }
    const newest = await run('acksSince', deliveredUntil - OVERLAP_SECONDS, MAX_NEW_ACKS);
    if (isInterrupted()) return;
    // Also for messages sent right before the page was lost, or from the phone. The gateway skips acks that it knows.
    for (const { id, ack } of newest) if (typeof ack === 'number') report({ name: 'message_ack', id, ack: toAck(ack) });
  }
}
