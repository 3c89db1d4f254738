import type { Outcome } from './endpoint.ts';
import type { Progress } from './webhook-progress.ts';

/** After a longer outage, the first success triggers all waiting events. */
const OUTAGE_MS = 60_000;
/** A webhook without a success for this long is disabled. */
const MAX_FAILING_MS = 72 * 60 * 60_000;

type Failure = Exclude<Outcome, { readonly kind: 'delivered' }>;

/** The health of an endpoint. Times are ms of `performance.now()`, which clock changes do not affect. */
export class EndpointHealth {
  #failingSince: number | undefined;
  #lastSuccessAt: number | undefined;
  #lastFailure: Progress['lastFailure'];
  #putOffUntil = Number.NEGATIVE_INFINITY;
  #isNew = true;

  constructor({ failingMs, lastSuccessAt, lastFailure }: Progress) {
    this.#failingSince = failingMs === undefined ? undefined : performance.now() - failingMs;
    this.#lastSuccessAt = lastSuccessAt;
    this.#lastFailure = lastFailure;
  }

  /** The stored part. Time while the gateway is not running does not count as failing. */
  get progress(): Pick<Progress, 'failingMs' | 'lastSuccessAt' | 'lastFailure'> {
    return {
      ...(this.#failingSince === undefined ? {} : { failingMs: Math.round(performance.now() - this.#failingSince) }),
      ...(this.#lastSuccessAt === undefined ? {} : { lastSuccessAt: this.#lastSuccessAt }),
      ...(this.#lastFailure === undefined ? {} : { lastFailure: this.#lastFailure }),
    };
  }

  /** True if nothing has been delivered since the gateway started. */
  get isNew(): boolean {
    return this.#isNew;
  }

  get isFailing(): boolean {
    return this.#failingSince !== undefined;
  }

  /** True if the endpoint has failed for so long that the webhook is disabled. */
  get isGivenUp(): boolean {
    return this.#failingSince !== undefined && performance.now() - this.#failingSince >= MAX_FAILING_MS;
  }

  /** For how long the endpoint asks not to be called; 0 if it may be called. */
  get putOffMs(): number {
    return Math.max(this.#putOffUntil - performance.now(), 0);
  }

  /** Returns true if all waiting events should be tried at once. */
  succeeded(): boolean {
    const outageMs = performance.now() - (this.#failingSince ?? performance.now());
    const isBack = this.#isNew || outageMs > OUTAGE_MS;
    this.#isNew = false;
    this.#lastSuccessAt = Date.now();
    this.forgetFailures();
    return isBack;
  }

  failed(outcome: Failure): void {
    const now = performance.now();
    this.#failingSince ??= now;
    this.#lastFailure = { at: Date.now(), message: outcome.message };
    if (outcome.kind === 'put_off') this.#putOffUntil = Math.max(this.#putOffUntil, now + outcome.waitMs);
  }

  /** Call when failed events will no longer be delivered. */
  forgetFailures(): void {
    this.#failingSince = undefined;
  }
}
