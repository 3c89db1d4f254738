import { randomUUID } from 'node:crypto';
import { type ErrorCode, errorText, GatewayError, resultWithin, withDeadline } from '@chat-web/protocol';
import type { Page } from 'puppeteer';
import type { Capability } from '../page/contract/index.ts';
import type { SendPlan } from '../page/models.ts';
import { wasLost } from './page-errors.ts';
import { PageFile, PIECE_BYTES } from './page-file.ts';
import { CallLostError, type PageLink } from './page-link.ts';
import type { PageArgs, PageCalls, PageFunction, PageResult, SendArgs, SendFunction, SendLimits } from './port.ts';

/** How long to wait until the page has dropped a file. */
export const DROP_TIMEOUT_MS = 1_000;
/** The browser reads the next pieces of a file while this process decodes and writes one. */
const PIECES_AT_ONCE = 4;
/** How long to wait for modules of the page that load late. */
export const SUPPORT_TIMEOUT_MS = 10_000;
/** The page's deadline is this much before the worker's: an answer takes a moment. */
const MARGIN_MS = 1_000;
const BROWSER_TIMEOUT_MS = 1_000;

/** The page, and whether the account is connected. */
export interface PageSource {
  readonly page: Page;
  readonly link: PageLink;
  readonly isReady: boolean;
  /** Throws 501 if the page lacks a needed part. */
  assertSupported(needed: readonly Capability[]): Promise<void>;
  /** Called after each send: whether the network has confirmed it in time. */
  onSent(isConfirmed: boolean): void;
}

/** Calls the page program, with a time limit and the right error for a call without an answer. */
export class PageAccess implements PageCalls {
  readonly #source: PageSource;

  constructor(source: PageSource) {
    this.#source = source;
  }

  async read<N extends PageFunction>(timeoutMs: number, name: N, ...args: PageArgs<N>): Promise<PageResult<N>> {
    try {
      return await this.#call(timeoutMs, 'session_lost', name, args);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'outcome_unknown') throw error;
      throw new GatewayError('client_failed', error.message); // It has changed nothing.
    }
  }

  change<N extends PageFunction>(timeoutMs: number, name: N, ...args: PageArgs<N>): Promise<PageResult<N>> {
    return this.#call(timeoutMs, 'outcome_unknown', name, args);
  }

  async send<N extends SendFunction>(
    { beginMs, timeoutMs, ackTimeoutMs, attempt }: SendLimits,
    name: N,
    ...args: SendArgs<N>
  ): Promise<PageResult<N>> {
    const { link } = this.#ready();
    const watch = link.watchSend(attempt?.onSending);
    const deadline = performance.now() + timeoutMs;
    // The page has another monotonic clock, but the same date.
    const [beginBy, answerBy] = [beginMs, timeoutMs].map((ms) => Date.now() + ms - MARGIN_MS) as [number, number];
    const plan: SendPlan = { call: watch.call, beginBy, answerBy, ackTimeoutMs, messageId: attempt?.messageId };
    const answer = link.run(name, ...([plan, ...args] as unknown as PageArgs<N>));
    const isAnswered = answer.then(
      () => true,
      () => true,
    );
    try {
      const hasMoved = await resultWithin(Promise.race([watch.begun.then(() => true), isAnswered]), beginMs);
      if (!hasMoved && (await this.#browserAnswers()) && !watch.hasBegun)
        throw new GatewayError(
          'client_failed',
          `nothing was sent: the page did not respond within ${beginMs / 1_000} s`,
        );
      return await within(leftUntil(deadline), 'outcome_unknown', answer);
    } catch (error) {
      if (watch.isSlow) this.onSent(false);
      throw watch.id === undefined ? error : unconfirmed(watch.id);
    } finally {
      watch.stop();
    }
  }

  onSent(isConfirmed: boolean): void {
    this.#source.onSent(isConfirmed);
  }

  async assertSupported(needed: readonly Capability[]): Promise<void> {
    if (needed.length === 0) return;
    await within(SUPPORT_TIMEOUT_MS, 'client_failed', this.#ready().assertSupported(needed));
  }

  async withFile<R>(timeoutMs: number, path: string, work: (key: string) => Promise<R>): Promise<R> {
    const { link } = this.#ready();
    const key = `file:${randomUUID()}`;
    try {
      await within(timeoutMs, 'client_failed', takeFile(link, path, key));
      return await work(key);
    } finally {
      // An unresponsive page must not delay the answer.
      await resultWithin(link.run('dropFile', key), DROP_TIMEOUT_MS);
    }
  }

  /**
   * True if the browser answers: earlier signals of the page have then arrived. A frozen browser would hold them back.
   */
  async #browserAnswers(): Promise<boolean> {
    const { page, link } = this.#source;
    const isAlive = (await resultWithin(page.browser().version(), BROWSER_TIMEOUT_MS)) !== undefined;
    // A responsive page answers after its signals; for a frozen page, they have had time to arrive.
    if (isAlive) await resultWithin(link.session.send('Runtime.evaluate', { expression: '0' }), BROWSER_TIMEOUT_MS);
    return isAlive;
  }

  async *readFile(timeoutMs: number, key: string, size: number): AsyncGenerator<Buffer> {
    const { link } = this.#ready();
    const deadline = performance.now() + timeoutMs;
    const soon = <R>(answer: Promise<R>) => within(leftUntil(deadline), 'session_lost', answer);
    const opening = PageFile.open(link, key);
    try {
      const file = await soon(opening);
      const pieces: Promise<Buffer>[] = [];
      let asked = 0;
      for (let left = size; left > 0; ) {
        for (; asked < size && pieces.length < PIECES_AT_ONCE; asked += PIECE_BYTES) pieces.push(file.read());
        const piece = await soon(pieces.shift() ?? file.read());
        if (piece.length === 0) throw new GatewayError('session_lost', 'the page has fewer bytes than it announced');
        if (piece.length > left) throw new GatewayError('client_failed', 'the page has more bytes than it announced');
        left -= piece.length;
        yield piece;
      }
    } finally {
      opening.then((file) => file.close()).catch(() => {}); // Also closes a file that is opened too late.
    }
  }

  #ready(): PageSource {
    if (this.#source.isReady) return this.#source;
    throw new GatewayError('session_not_ready', 'the account is not connected');
  }

  async #call<N extends PageFunction>(
    timeoutMs: number,
    lostCode: 'session_lost' | 'outcome_unknown',
    name: N,
    args: PageArgs<N>,
  ): Promise<PageResult<N>> {
    const { link } = this.#ready();
    return within(timeoutMs, lostCode, link.run(name, ...args));
  }
}

/**
 * Makes the browser open the file, and stores it in the page under the key. The browser reads it from disk itself: its
 * bytes do not pass through this process.
 */
async function takeFile(link: PageLink, path: string, key: string): Promise<void> {
  const objectId = await link.runForHandle('openFileInput', key);
  if (objectId === undefined) throw new CallLostError('the page has no input for the file');
  try {
    await link.session.send('DOM.setFileInputFiles', { files: [path], objectId });
    await link.run('keepFile', key);
  } finally {
    link.session.send('Runtime.releaseObject', { objectId }).catch(() => {}); // Nothing waits for it.
  }
}

/** The error for a message that was handed over, but not confirmed by the network. */
export function unconfirmed(id: string): GatewayError {
  const message = `the network has not confirmed message ${id}; it may still be sent`;
  return new GatewayError('outcome_unknown', message, { id });
}

/** Whole milliseconds until a deadline (as of `performance.now()`), at least one. */
function leftUntil(deadline: number): number {
  return Math.max(1, Math.round(deadline - performance.now()));
}

/** Waits for the page. Rejects with `lostCode` if it is lost or too slow, and with `client_failed` if it threw. */
async function within<R>(timeoutMs: number, lostCode: ErrorCode, answer: Promise<R>): Promise<R> {
  try {
    return await withDeadline(answer, timeoutMs, () => {
      throw new GatewayError(lostCode, `the page did not respond within ${timeoutMs / 1_000} s`);
    });
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const isLost = error instanceof CallLostError || wasLost(error);
    throw new GatewayError(
      isLost ? lostCode : 'client_failed',
      isLost ? `the page was lost (${errorText(error)})` : `the web client refused (${errorText(error)})`,
    );
  }
}
