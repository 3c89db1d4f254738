import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError, STATUS_FEED, type WorkerOperationName } from '@chat-web/protocol';
import { type Capability, components, contract, type Part } from '../page/contract/index.ts';
import type { ContractReport } from '../page/modules.ts';
import type { PageLink } from './page-link.ts';

/** A missing or degraded capability of a session, and why. */
export interface Degraded {
  readonly capability: string;
  readonly reason: string;
}

/** How long a check may take to load modules. */
const CHECK_TIMEOUT_MS = 8_000;
/** How long a check may take while a request waits for it. */
const SHORT_CHECK_TIMEOUT_MS = 2_000;
/** A page registers modules for a while after it loads. Until this age, a request waits for a missing one. */
const YOUNG_MS = 30_000;
const LATE_TIMEOUT_MS = 3_000;
const LATE_POLL_MS = 250;
/** Until this age of the document, each probe checks for missing parts again. */
const LATE_MODULES_MS = 5 * 60_000;

const parts = Object.entries(contract).flatMap(([module, paths]) =>
  Object.entries<Part>(paths).map(([path, part]) => ({ module, name: `${module}.${path}`, part })),
);
const kinds = Object.fromEntries(
  Object.entries(contract).map(([module, paths]) => [
    module,
    Object.fromEntries(Object.entries<Part>(paths).map(([path, { is }]) => [path, is])),
  ]),
);

/** The capabilities lost with missing parts, each with the names of those parts. */
export function lossesOf(missing: readonly string[]): Map<Capability, string[]> {
  const lacks = new Set(missing);
  const isMissing = (name: string) => lacks.has(name) || lacks.has(name.slice(0, name.indexOf('.')));
  const losses = new Map<Capability, string[]>();
  for (const { module, name, part } of parts) {
    // If a collection is missing, or replaced by another, its fields are unknown.
    const isGone = part.is === 'field' ? lacks.has(name) : isMissing(name);
    if (!isGone || (part.or && !isMissing(part.or))) continue;
    const named = lacks.has(module) ? module : name;
    for (const capability of part.without) {
      const names = losses.get(capability) ?? [];
      losses.set(capability, names.includes(named) ? names : [...names, named]);
    }
  }
  return losses;
}

/** The capabilities that an operation with this input needs. */
export function neededFor(operation: WorkerOperationName, input: object): Capability[] {
  const { type, to, messageId, quotedMessageId } = input as Record<string, unknown>;
  const kindOf = (feed: boolean): Capability => {
    if (type === 'text') return feed ? 'postStatus.text' : 'sendMessage.text';
    if (feed) return 'postStatus.media';
    if (type === 'location' || type === 'contact' || type === 'poll') return `sendMessage.${type}`;
    return type === 'sticker' ? 'sendMessage.sticker' : 'sendMessage.media';
  };
  switch (operation) {
    case 'requestPairingCode':
      return []; // Checked by the call itself, which is for sessions that are not ready.
    case 'sendMessage':
      if (type === 'reaction') return ['sendMessage.reaction'];
      return [kindOf(to === STATUS_FEED), ...(quotedMessageId ? (['sendMessage.reply'] as const) : [])];
    case 'postStatus':
      return [kindOf(true)];
    case 'deleteMessage':
      return [String(messageId).includes(`_${STATUS_FEED}_`) ? 'deleteMessage.status' : 'deleteMessage'];
    default:
      return [operation];
  }
}

/** Checks which parts of the contract this build of the page has, and refuses operations that need a missing one. */
export class Capabilities {
  #report: ContractReport = { version: undefined, missing: [], testIds: false };
  #losses = new Map<Capability, string[]>();
  #loadedAt = 0;
  /** Capabilities that a request has waited for without success: later requests do not wait again. */
  readonly #waitedFor = new Set<Capability>();

  /** The page's version, as it reports it, after the first check. */
  get version(): string | undefined {
    return this.#report.version;
  }

  /** Whether the page's elements have test ids. */
  get testIds(): boolean {
    return this.#report.testIds === true; // The page may return anything.
  }

  /** The capabilities that the session lacks because the page lacks parts. */
  get lacking(): Degraded[] {
    return [...this.#losses].map(([capability, names]) => ({
      capability,
      reason: `the page lacks ${names.join(', ')}`,
    }));
  }

  /** Why the page cannot be used at all, undefined if it can: for a session, or for the QR to link one. */
  unusableFor(what: 'session' | 'link'): string | undefined {
    const names = this.#losses.get(what);
    return names && `page ${this.version ?? 'of unknown version'} lacks ${names.join(', ')}`;
  }

  /** True while the page may still load parts that it lacks. */
  get mayGrow(): boolean {
    return Date.now() - this.#loadedAt < LATE_MODULES_MS;
  }

  /** The page was loaded again. */
  onPageLoaded(): void {
    this.#loadedAt = Date.now();
    this.#waitedFor.clear();
  }

  /** Resolves the contract in the page. */
  async check(link: PageLink, timeoutMs = CHECK_TIMEOUT_MS): Promise<void> {
    this.#report = await link.run('resolveContract', kinds, components, timeoutMs);
    this.#losses = lossesOf(this.#report.missing);
  }

  /** Throws 501 if the page lacks a needed part, after checking again: modules may load late. True if it checked. */
  async assertSupported(link: PageLink, needed: readonly Capability[]): Promise<boolean> {
    const lacks = () => needed.some((capability) => this.#losses.has(capability));
    if (!lacks()) return false;
    const deadline = Date.now() + LATE_TIMEOUT_MS;
    await this.check(link, SHORT_CHECK_TIMEOUT_MS);
    const isWorthWaiting = () =>
      needed.some((capability) => this.#losses.has(capability) && !this.#waitedFor.has(capability)) &&
      Date.now() < deadline &&
      Date.now() - this.#loadedAt < YOUNG_MS;
    while (isWorthWaiting()) {
      await delay(LATE_POLL_MS);
      await this.check(link, SHORT_CHECK_TIMEOUT_MS);
    }
    for (const capability of needed) if (this.#losses.has(capability)) this.#waitedFor.add(capability);
    for (const capability of needed) {
      const names = this.#losses.get(capability);
      if (!names) continue;
      throw new GatewayError(
        'page_unsupported',
        `page ${this.version ?? 'of unknown version'} lacks ${names.join(', ')}, which ${capability} needs; nothing was sent`,
      );
    }
    return true;
  }
}
