import type { AccountSeed } from '../control/inputs.ts';
import type { SimulatorSettings } from '../settings.ts';
import { Timers } from '../timers.ts';
import { ChatStates } from './chat-states.ts';
import { Confirmations } from './confirmations.ts';
import { Directory } from './directory.ts';
import { Groups } from './groups.ts';
import { Linking } from './linking.ts';
import { MediaStore } from './media-store.ts';
import { MessageChanges } from './message-changes.ts';
import { Newsletters } from './newsletter.ts';
import { statusFeed } from './party.ts';
import { PostOffice } from './post-office.ts';
import { Presences } from './presences.ts';
import type { AccountRecord, Party } from './records.ts';

/** The network behind the page: accounts, linked devices, messages. All in memory. */
export class Network {
  /** Shared by all parts: a change applies at once. */
  readonly settings: SimulatorSettings;
  readonly timers = new Timers();
  readonly confirmations = new Confirmations(this.timers);
  readonly presences = new Presences();
  readonly chatStates = new ChatStates(this.timers, (...change) => this.presences.act(...change));
  readonly directory: Directory;
  readonly newsletters = new Newsletters();
  readonly mediaStore = new MediaStore();
  readonly postOffice: PostOffice;
  readonly changes: MessageChanges;
  readonly groups: Groups;
  readonly linking: Linking;

  constructor(settings: SimulatorSettings, seeds: readonly AccountSeed[]) {
    this.settings = settings;
    this.directory = new Directory(seeds);
    this.postOffice = new PostOffice(settings, this.directory, this.timers);
    this.changes = new MessageChanges(this.directory, this.confirmations);
    this.groups = new Groups(this.directory, this.postOffice);
    this.linking = new Linking(settings, this, this.timers);
  }

  /** The party that an account addresses by the id of a chat; `field` is the field that named it. */
  party(id: string, account: AccountRecord, field: string): Party {
    if (id === statusFeed.id) return statusFeed;
    if (id.endsWith('@newsletter')) return this.newsletters.get(id);
    return id.endsWith('@g.us') ? this.groups.get(id, account) : this.directory.get(id, field);
  }

  close(): void {
    this.timers.clear();
  }
}
