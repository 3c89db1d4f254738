import { randomBytes } from 'node:crypto';
import type { SimulatorSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import type { Line } from './records.ts';

/** The QR references of one page that is not linked: each expires; after the last there are no more. */
export class QrReferences {
  readonly #line: Line;
  readonly #settings: SimulatorSettings;
  readonly #timers: Timers;
  #current: string | undefined;
  #sinceMs = 0;
  #cancel: () => void = () => undefined;

  constructor(line: Line, settings: SimulatorSettings, timers: Timers) {
    this.#line = line;
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
    this.#line.send({ type: 'refs-ended' });
  }

  #next(count: number): void {
    const { qrCount, qrFirstMs, qrIntervalMs } = this.#settings;
    if (count > qrCount) {
      this.end();
      return;
    }
    this.#current = `2@${randomBytes(72).toString('base64')}`;
    this.#sinceMs = Date.now();
    this.#line.send({ type: 'ref', ref: this.#current });
    this.#cancel = this.#timers.after(count === 1 ? qrFirstMs : qrIntervalMs, () => this.#next(count + 1));
  }
}
