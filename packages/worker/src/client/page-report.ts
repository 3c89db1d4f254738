import { LIMITS } from '@chat-web/protocol';
import type { PageLimit } from '../page/models.ts';
import type { Capabilities, Degraded } from './capabilities.ts';
import type { Log, ReportEvent } from './port.ts';
import { toLimit } from './resources.ts';

/** Characters of a reason: its text comes from the page, which is not trusted. */
const MAX_REASON_LENGTH = 900;

const MAX_LIMITS = 10;

export interface PageReportDependencies {
  readonly report: ReportEvent;
  readonly capabilities: Capabilities;
  readonly log: Log;
}

/**
 * Reports missing and degraded capabilities, and why: missing parts of the page, open dialogs, unconfirmed sends; and the
 * network's limits on the account.
 */
export class PageReport {
  readonly #dependencies: PageReportDependencies;
  /** Problems other than missing parts, by capability. */
  readonly #findings = new Map<string, string>();
  #lastSent = '';
  #lastLimits = '';

  constructor(dependencies: PageReportDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sets the problem of a capability; without a reason, it is solved. */
  setFinding(capability: string, reason: string | undefined): void {
    if (withoutCountdown(this.#findings.get(capability)) === withoutCountdown(reason)) return;
    const { log } = this.#dependencies;
    if (reason === undefined) {
      this.#findings.delete(capability);
      log('info', 'capability recovered', { capability });
    } else {
      this.#findings.set(capability, reason);
      log('warn', 'capability degraded', { capability, reason });
    }
    this.send();
  }

  /** Reports the network's limits on the account, if they have changed. */
  setLimits(limits: readonly PageLimit[]): void {
    const known = limits.slice(0, MAX_LIMITS).flatMap((limit) => toLimit(limit) ?? []);
    const text = JSON.stringify(known);
    if (text === this.#lastLimits) return;
    this.#lastLimits = text;
    this.#dependencies.report({ name: 'limits', limits: known });
  }

  /** Sends the report to the gateway, if it has changed since the last time. */
  send(): void {
    const { report, capabilities } = this.#dependencies;
    const { version, lacking, testIds } = capabilities;
    if (version === undefined) return;
    const state = {
      testIds,
      version: version.replace(/[^\w.-]/g, '_').slice(0, LIMITS.pageVersion),
      lacking: lacking.map(shortened),
      findings: [...this.#findings].map(([capability, reason]) => shortened({ capability, reason })),
    };
    const text = JSON.stringify(state);
    if (text === this.#lastSent) return;
    this.#lastSent = text;
    report({ name: 'page', ...state });
  }
}

/** Makes reasons equal that differ only in a countdown. */
function withoutCountdown(reason: string | undefined): string | undefined {
  return reason?.replace(/\d+/g, '0');
}

function shortened({ capability, reason }: Degraded): Degraded {
  return { capability, reason: reason.slice(0, MAX_REASON_LENGTH) };
}
