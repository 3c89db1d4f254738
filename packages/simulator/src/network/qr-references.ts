import { randomBytes } from 'node:crypto';
import type { SimulatorSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import type { Line } from './records.ts';

/** The QR references of one page that is not linked: each expires, and after the last there is none. */
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

  /** How long the present one has been there, in milliseconds. */
  get ageMs(): number | undefined {
    return this.#current === undefined ? undefined : Date.now() - this.#sinceMs;
  }

  /** Begins with a fresh one. */
  start(): void {
    this.stop();
    this.#cancel = this.#timers.after(this.#settings.refDelayMs, () => this.#next(1));
  }

  stop(): void {
    this.#cancel();
    this.#current = undefined;
  }

  /** What follows the last one: none until the page asks again. */
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
