import type { AccountSeed } from '../api.ts';
import type { SimulatorSettings } from '../settings.ts';
import { Timers } from '../timers.ts';
import { Directory } from './directory.ts';
import { Linking } from './linking.ts';
import { PostOffice } from './post-office.ts';

/** The network behind the page: who is registered, what is linked, what is written. All of it in memory. */
export class Network {
  /** Shared by all parts: a change holds at once. */
  readonly settings: SimulatorSettings;
  readonly timers = new Timers();
  readonly directory: Directory;
  readonly postOffice: PostOffice;
  readonly linking: Linking;

  constructor(settings: SimulatorSettings, seeds: readonly AccountSeed[]) {
    this.settings = settings;
    this.directory = new Directory(seeds);
    this.postOffice = new PostOffice(settings, this.directory, this.timers);
    this.linking = new Linking(settings, this.directory, this.postOffice, this.timers);
  }

  close(): void {
    this.timers.clear();
  }
}
