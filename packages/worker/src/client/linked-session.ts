import { setTimeout as delay } from 'node:timers/promises';
import { errorText, type WorkerOptions } from '@chat-web/protocol';
import type { Page } from 'puppeteer';
import { readAccount, unlink } from '../page/session.ts';
import type { BrowserSearch } from './browser.ts';
import { SessionEvents } from './events.ts';
import { launchOptions } from './launch-options.ts';
import type { PageSource } from './page-access.ts';
import type { Log, ReportEvent } from './port.ts';
import { WhatsAppClient } from './whatsapp-client.ts';

const UNLINK_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 3_000;

/** One linked account in one browser, from launch to end. */
export class LinkedSession implements PageSource {
  readonly #client: WhatsAppClient;
  readonly #events: SessionEvents;

  /** Throws where no browser is to be found. */
  constructor(options: WorkerOptions, env: BrowserSearch['env'], report: ReportEvent, log: Log) {
    const sources = { readAccount: () => this.#client.page.evaluate(readAccount), renderQr };
    this.#events = new SessionEvents(report, sources, log);
    this.#client = new WhatsAppClient(
      { sessionDir: options.sessionDir, puppeteer: launchOptions(options, env) },
      this.#events,
    );
  }

  get page(): Page {
    return this.#client.page;
  }

  /** True while messages can be sent and are heard. */
  get isReady(): boolean {
    return this.#events.isReady;
  }

  /** Launches the browser and loads the page; what comes of it is reported as events. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.#client.initialize();
    } catch (error) {
      this.#events.onFailure(`the browser or its page did not start (${errorText(error)})`);
    }
  }

  /** Ends the session and its browser, gracefully if it can be. Returns within 10 s; nothing is reported after. */
  async stop(unlinkFirst: boolean): Promise<void> {
    const wasReady = this.#events.isReady;
    this.#events.end();
    if (unlinkFirst && wasReady) await ended(this.#client.page.evaluate(unlink), UNLINK_TIMEOUT_MS);
    const browser = this.#client.pupBrowser;
    if (!browser) return; // Still being launched: it ends with the pipe to this process.
    const browserProcess = browser.process();
    await ended(browser.close(), CLOSE_TIMEOUT_MS);
    if (browserProcess?.pid && browserProcess.exitCode === null && browserProcess.signalCode === null) {
      try {
        process.kill(-browserProcess.pid, 'SIGKILL'); // The browser leads a process group of its own.
      } catch {
        // It has just ended by itself.
      }
    }
  }
}

/** Waits for the end of some work, good or bad, or until the time is up; its end is nobody's business then. */
async function ended(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([work.catch(() => {}), delay(timeoutMs, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}

async function renderQr(text: string): Promise<string> {
  const { toDataURL } = await import('qrcode'); // Most sessions start with saved auth, and never need it.
  return toDataURL(text);
}
