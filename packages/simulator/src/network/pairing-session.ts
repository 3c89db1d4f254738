import { randomBytes } from 'node:crypto';
import type { SimulatorSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import type { AccountRecord, Connection, Device } from './records.ts';

/** The QR references of one page that is not linked: each expires; after the last there are no more. */
export class QrReferences {
  readonly #connection: Connection;
  readonly #settings: SimulatorSettings;
  readonly #timers: Timers;
  #current: string | undefined;
  #sinceMs = 0;
  #cancel: () => void = () => undefined;

  constructor(connection: Connection, settings: SimulatorSettings, timers: Timers) {
    this.#connection = connection;
    this.#settings = settings;
    this.#timers = timers;
  }

  /** The one that can be scanned now. */
  get current(): string | undefined {
    return this.#current;
  }

  /** The age of the current one, in milliseconds. */
  get ageMs(): number | undefined {
    return this.#current === undefined ? undefined : Date.now() - this.#sinceMs;
  }

  /** Starts again with a new one. */
  start(): void {
    this.stop();
    this.#cancel = this.#timers.after(this.#settings.refDelayMs, () => this.#next(1));
  }

  stop(): void {
    this.#cancel();
    this.#current = undefined;
  }

  /** After the last one: there is none until the page requests more. */
  end(): void {
    this.stop();
    this.#connection.send({ type: 'refs-ended' });
  }

  #next(count: number): void {
    const { qrCount, qrFirstMs, qrIntervalMs } = this.#settings;
    if (count > qrCount) {
      this.end();
      return;
    }
    this.#current = `2@${randomBytes(72).toString('base64')}`;
    this.#sinceMs = Date.now();
    this.#connection.send({ type: 'ref', ref: this.#current });
    this.#cancel = this.#timers.after(count === 1 ? qrFirstMs : qrIntervalMs, () => this.#next(count + 1));
  }
}

/** A page that is not linked: the keys that its QR carries, and its references. */
export interface PairingSession {
  readonly connection: Connection;
  readonly noiseKey: string;
  readonly identityKey: string;
  readonly references: QrReferences;
  /** What the phone shows of the device, once it is linked. */
  deviceName?: string | undefined;
  /** Present once it was scanned and needs a passkey before it is linked. */
  pending?: PendingLink | undefined;
}

export interface PendingLink {
  readonly login: Login;
  /** The passkey is requested; the network has verified it; the phone has continued. */
  step: 'requested' | 'verified' | 'continued';
  /** The current challenge; undefined once it was used. */
  challenge: { readonly value: string; readonly sinceMs: number } | undefined;
}

/** A device that has logged in, and its account. */
export interface Login {
  readonly account: AccountRecord;
  readonly device: Device;
}
