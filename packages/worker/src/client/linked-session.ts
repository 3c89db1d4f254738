import { setTimeout as delay } from 'node:timers/promises';
import { errorText, GatewayError, type Message, type WorkerOptions } from '@chat-web/protocol';
import type { BrowserSearch } from './browser.ts';
import { SessionEvents } from './events.ts';
import { launchOptions } from './launch-options.ts';
import { checkSend, readAccount, unlink, waitForAck } from './page-scripts.ts';
import type { ClientPort, Log, ReportEvent, TextToSend } from './port.ts';
import { toMessage } from './resources.ts';
import { WhatsAppClient } from './whatsapp-client.ts';

/** A send's three steps; together they end before the operation's own time limit, so that the answer is the truer one. */
const CHECK_TIMEOUT_MS = 6_000;
const SEND_TIMEOUT_MS = 10_000;
const ACK_TIMEOUT_MS = 12_000;
const UNLINK_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 3_000;

/** One linked account in one browser, from launch to end. */
export class LinkedSession implements ClientPort {
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

  /** Launches the browser and loads the page; what comes of it is reported as events. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.#client.initialize();
    } catch (error) {
      this.#events.onFailure(`the browser or its page did not start (${errorText(error)})`);
    }
  }

  async sendText({ to, body, quotedMessageId }: TextToSend): Promise<Message> {
    if (!this.#events.isReady) throw new GatewayError('session_not_ready', 'the account is not connected');
    await this.#checkSend(to, quotedMessageId);
    const sent = await this.#send(to, body, quotedMessageId);
    // A status is not kept in the page under the id that it came with; its post ends when the network has it.
    if (sent.isStatus) return { ...sent, ack: 1 };
    if (sent.ack !== 0) return acknowledged(sent, sent.ack);
    const ack = await this.#client.page.evaluate(waitForAck, sent.id, ACK_TIMEOUT_MS).catch(() => 0);
    return acknowledged(sent, ack);
  }

  async #checkSend(to: string, quotedMessageId: string | undefined): Promise<void> {
    const check = this.#client.page.evaluate(checkSend, to, quotedMessageId).catch((error: unknown) => {
      if (/No LID for user/i.test(errorText(error))) return 'not_registered' as const;
      throw new GatewayError('client_failed', `the page could not look up the recipient (${errorText(error)})`);
    });
    const finding = await within(check, CHECK_TIMEOUT_MS, 'too_slow' as const);
    switch (finding) {
      case 'ok':
        return;
      case 'too_slow':
        throw new GatewayError('client_failed', 'the network did not look up the recipient in time; nothing was sent');
      case 'not_registered':
        throw new GatewayError('recipient_not_found', 'the recipient is not registered on the network');
      case 'no_chat':
        throw to.endsWith('@c.us') || to.endsWith('@lid')
          ? new GatewayError('recipient_not_found', 'the recipient is unknown to the network')
          : new GatewayError('chat_not_found', 'the group or broadcast list is unknown to this account');
      case 'no_quoted_message':
        throw new GatewayError('message_not_found', 'the message to quote is unknown to this account');
      case 'not_quotable':
        throw new GatewayError('not_permitted', 'the message to quote cannot be replied to');
    }
  }

  async #send(to: string, body: string, quotedMessageId: string | undefined): Promise<Message> {
    const sending = this.#client
      .sendMessage(to, body, {
        ...(quotedMessageId ? { quotedMessageId } : {}),
        ignoreQuoteErrors: false,
        // A text is sent as it is, also when it looks like a contact card.
        parseVCards: false,
        // Sending does not mean reading; and the library's way to mark a chat as read has failed sends before.
        sendSeen: false,
      })
      .catch((error: unknown) => {
        const isLost = /closed|detached|destroyed|timed out/i.test(errorText(error));
        throw isLost
          ? new GatewayError('outcome_unknown', `the page was lost while sending (${errorText(error)})`)
          : new GatewayError('client_failed', `the web client refused the message (${errorText(error)})`);
      });
    const sent = await within(sending, SEND_TIMEOUT_MS, undefined);
    if (!sent) throw new GatewayError('outcome_unknown', 'the web client did not say what became of the message');
    try {
      return toMessage(sent.rawData);
    } catch {
      throw new GatewayError('outcome_unknown', 'the web client sent the message and described it in an unknown form');
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

function acknowledged(sent: Message, ack: number): Message {
  if (ack > 0) return { ...sent, ack: ack as Message['ack'] };
  if (ack < 0) throw new GatewayError('client_failed', 'the network refused the message');
  throw new GatewayError('outcome_unknown', `the network has not confirmed message ${sent.id}; it may still be sent`);
}

/** What the work comes to, or `otherwise` when the time is up; the work goes on, and its end is nobody's business. */
async function within<T, O>(work: Promise<T>, timeoutMs: number, otherwise: O): Promise<T | O> {
  const over = new AbortController();
  work.catch(() => {});
  try {
    return await Promise.race([work, delay(timeoutMs, otherwise, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}

/** Waits for the end of some work, good or bad, or until the time is up. */
async function ended(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  await within(work, timeoutMs, undefined).catch(() => {});
}

async function renderQr(text: string): Promise<string> {
  const { toDataURL } = await import('qrcode'); // Most sessions start with saved auth, and never need it.
  return toDataURL(text);
}
