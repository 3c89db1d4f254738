import type { AccountSeed } from '../control/inputs.ts';
import type { SimulatorSettings } from '../settings.ts';
import { Timers } from '../timers.ts';
import { Confirmations } from './confirmations.ts';
import { Directory } from './directory.ts';
import { Groups } from './groups.ts';
import { Linking } from './linking.ts';
import { MediaStore } from './media-store.ts';
import { statusFeed } from './message.ts';
import { MessageChanges } from './message-changes.ts';
import { MessageDelivery } from './message-delivery.ts';
import { Newsletters } from './newsletter.ts';
import { ChatStates, Presences } from './presences.ts';
import type { AccountRecord, Peer } from './records.ts';

/** The network behind the page: accounts, linked devices, messages. All in memory. */
export class Network {
  /** Shared by all parts: a change applies at once. */
  readonly settings: SimulatorSettings;
  readonly timers = new Timers();
  /** Those of messages on their way. */
  readonly #deliveries = new Timers();
  readonly confirmations = new Confirmations(this.timers);
  readonly presences = new Presences();
  readonly chatStates = new ChatStates(this.timers, (...change) => this.presences.act(...change));
  readonly directory: Directory;
  readonly newsletters = new Newsletters();
  readonly mediaStore = new MediaStore();
  readonly delivery: MessageDelivery;
  readonly changes: MessageChanges;
  readonly groups: Groups;
  readonly linking: Linking;

  constructor(settings: SimulatorSettings, seeds: readonly AccountSeed[]) {
    this.settings = settings;
    this.directory = new Directory(seeds);
    this.delivery = new MessageDelivery(settings, this.directory, this.#deliveries);
    this.changes = new MessageChanges(this.directory, this.confirmations);
    this.groups = new Groups(this.directory, this.delivery);
    this.linking = new Linking(settings, this, this.timers);
  }

  /** What an account addresses by the id of a chat; `field` is the field that named it. */
  peer(id: string, account: AccountRecord, field: string): Peer {
    if (id === statusFeed.id) return statusFeed;
    if (id.endsWith('@newsletter')) return this.newsletters.get(id);
    return id.endsWith('@g.us') ? this.groups.get(id, account) : this.directory.get(id, field);
  }

  /** True while a message has not arrived everywhere: at the server, at a phone that is on, or in an open page. */
  get isDelivering(): boolean {
    if (this.#deliveries.pending > 0) return true;
    return this.directory
      .all()
      .some(({ devices }) => [...devices.values()].some(({ connection, waiting }) => connection && waiting.size > 0));
  }

  close(): void {
    this.timers.clear();
    this.#deliveries.clear();
  }
}
