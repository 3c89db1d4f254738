import { LIMITS } from '@chat-web/protocol';
import type { Capabilities, Degraded } from './capabilities.ts';
import type { Log, ReportEvent } from './port.ts';

/** The page is not to be trusted with the length of what it says. */
const MOST_REASON = 900;

/** What a session cannot do, and why: parts that the page lacks, dialogs that stay open, sends that nobody confirms. */
export class PageReport {
  readonly #report: ReportEvent;
  readonly #capabilities: Capabilities;
  readonly #log: Log;
  /** What was found beside the page's parts, by capability. */
  readonly #found = new Map<string, string>();
  #told = '';

  constructor(report: ReportEvent, capabilities: Capabilities, log: Log) {
    this.#report = report;
    this.#capabilities = capabilities;
    this.#log = log;
  }

  /** Something was found, or is over (no reason). */
  found(capability: string, reason: string | undefined): void {
    if (shape(this.#found.get(capability)) === shape(reason)) return;
    if (reason === undefined) this.#found.delete(capability);
    else this.#found.set(capability, reason);
    this.#log(reason === undefined ? 'info' : 'warn', `${capability}: ${reason ?? 'recovered'}`);
    this.tell();
  }

  /** Tells the gateway, where something has changed. */
  tell(): void {
    const { version, lacking } = this.#capabilities;
    if (version === undefined) return;
    const told = {
      version: version.replace(/[^\w.-]/g, '_').slice(0, LIMITS.pageVersion),
      lacking: lacking.map(shortened),
      findings: [...this.#found].map(([capability, reason]) => shortened({ capability, reason })),
    };
    const text = JSON.stringify(told);
    if (text === this.#told) return;
    this.#told = text;
    this.#report({ name: 'page', ...told });
  }
}

/** A reason without its numbers: one that counts down is the same at each look. */
function shape(reason: string | undefined): string | undefined {
  return reason?.replace(/\d+/g, '0');
}

function shortened({ capability, reason }: Degraded): Degraded {
  return { capability, reason: reason.slice(0, MOST_REASON) };
}
