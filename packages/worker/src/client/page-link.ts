import { randomUUID } from 'node:crypto';
import { cutText, deferred, errorText, GatewayError, networkId } from '@chat-web/protocol';
import type { CDPSession, Page, Protocol } from 'puppeteer';
import * as v from 'valibot';
import type { RefusalCode } from '../page/refusal.ts';
import type { PageArgs, PageFunction, PageResult } from './port.ts';

const BINDING = 'chatWebSignal';
const SEND_SIGNALS = new Set<unknown>(['sending', 'handed', 'sent']);
const CALL = 'function (...args) { return this(...args); }';
/** Returns the result itself, so that the browser gives a handle to it. A refusal becomes a plain error. */
const CALL_FOR_HANDLE =
  'async function (...args) { const { ok, refused, why } = await this(...args); if (refused) throw new Error(why); return ok; }';
const CODES: Readonly<Record<RefusalCode, true>> = {
  call_not_found: true,
  chat_not_found: true,
  client_failed: true,
  contact_not_found: true,
  edit_window_closed: true,
  media_not_found: true,
  media_unavailable: true,
  message_not_found: true,
  not_permitted: true,
  outcome_unknown: true,
  page_unsupported: true,
  rate_limited: true,
  recipient_not_found: true,
};
/** The longest sentence of a refusal: it comes from a web page. */
const MAX_WHY = 300;
/** The longest wait that the gateway accepts from a worker. */
const MAX_WAIT_S = 86_400;

/** A call without a result: its function may have run, or may still run. */
export class CallLostError extends Error {}

/** A `PageSignal` as received from the page: a field may be any JSON value, or absent. */
export type ReceivedSignal = Readonly<Record<string, unknown>>;

/** An `Answer` as received from the page. */
type ReceivedAnswer = Readonly<Partial<Record<'ok' | 'refused' | 'why' | 'retryAfterSeconds', unknown>>>;

/** The events of a link. */
export interface LinkEvents {
  /** All signals except those of sends. */
  onSignal(signal: ReceivedSignal): void;
  /** The browser detached the link, because the page closed or for another reason: all calls fail from now on. */
  onDetached(): void;
}

/** The page's signals about one send. */
export interface SendWatch {
  /** Identifies the send in the page. */
  readonly call: string;
  /** Resolves right before the page hands the message over. */
  readonly begun: Promise<void>;
  readonly hasBegun: boolean;
  /** The id of the message, once it was handed over with a chosen id, or if the network is slow to confirm it. */
  readonly id: string | undefined;
  /** The network is slow to confirm the message. */
  readonly isSlow: boolean;
  stop(): void;
}

/**
 * Our own connection to the page. The page program runs in each document before the page's own scripts; its functions
 * are called by name, through one handle. The page's signals are one-way, without an answer. Puppeteer's `evaluate`
 * sends a text with each call, and its `exposeFunction` answers each signal with another call: together this doubles
 * the processor time of worker and browser.
 */
export class PageLink {
  /** Objects of the page belong to the session that created them. */
  readonly session: CDPSession;
  readonly #onSignal: (signal: ReceivedSignal) => void;
  /** The program listens to an event of this name on `window`: the page cannot list listeners, so it does not find it. */
  readonly #key = randomUUID();
  /** The handle of the program in the current document. */
  #program: Promise<string> | undefined;
  readonly #sends = new Map<unknown, (signal: ReceivedSignal) => void>();
  #lastSend = 0;

  /** Opens a link to a page. `program`: the text of a program with a function `call`. Rejects if the page is closed. */
  static async open(page: Page, program: string, events: LinkEvents): Promise<PageLink> {
    const session = await page.createCDPSession();
    const link = new PageLink(session, events.onSignal);
    // If the browser is gone, the connection reports it.
    session.connection()?.on('sessiondetached', (detached) => {
      if (detached === session) events.onDetached();
    });
    await Promise.all([session.send('Page.enable'), link.#install(program)]);
    return link;
  }

  private constructor(session: CDPSession, onSignal: (signal: ReceivedSignal) => void) {
    this.session = session;
    this.#onSignal = onSignal;
    session.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === BINDING) this.#receive(payload);
    });
    // On the same session as the answers, and so in order with them. Puppeteer's event also covers navigation within
    // the document, which keeps its handle. The handle of a replaced document is gone.
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) this.#program = undefined;
    });
  }

  /** Sets the user agent: puppeteer does not while it does not observe the network. */
  async overrideUserAgent(userAgent: string): Promise<void> {
    await this.session.send('Emulation.setUserAgentOverride', { userAgent });
  }

  /** Enables signals of the current document. */
  async listen(): Promise<void> {
    await this.session.send('Runtime.addBinding', { name: BINDING });
  }

  /**
   * Calls a function of the page program. Rejects with a GatewayError if it refuses, with another error if it throws, or
   * if the document is lost meanwhile.
   */
  async run<N extends PageFunction>(name: N, ...args: PageArgs<N>): Promise<PageResult<N>> {
    const answer = (await this.#call(name, args, CALL)).value as ReceivedAnswer;
    if (answer?.refused !== undefined) throw refusalOf(answer);
    return answer?.ok as PageResult<N>;
  }

  /** The same for a handle of the result, if that is an object. The caller releases it. */
  async runForHandle<N extends PageFunction>(name: N, ...args: PageArgs<N>): Promise<string | undefined> {
    return (await this.#call(name, args, CALL_FOR_HANDLE)).objectId;
  }

  async #call(
    name: PageFunction,
    args: readonly unknown[],
    functionDeclaration: typeof CALL | typeof CALL_FOR_HANDLE,
  ): Promise<Protocol.Runtime.RemoteObject> {
    const call = {
      objectId: await this.#handle(),
      functionDeclaration,
      arguments: [name, ...args].map((value) => ({ value })),
      awaitPromise: true,
      returnByValue: functionDeclaration === CALL,
    };
    const { result, exceptionDetails } = await this.session
      .send('Runtime.callFunctionOn', call)
      .catch((error: unknown) => {
        // The browser has many errors for a call without a result, such as "Promise was collected".
        throw new CallLostError(errorText(error));
      });
    if (exceptionDetails) throw new Error(thrownText(exceptionDetails));
    return result;
  }

  /** Watches a new send until `stop`. `onId`: called when the message's id is known. */
  watchSend(onId: (id: string) => void = () => {}): SendWatch {
    this.#lastSend += 1;
    const call = String(this.#lastSend);
    const { promise: begun, resolve: begin } = deferred();
    const stop = () => void this.#sends.delete(call);
    const watch = { call, begun, hasBegun: false, isSlow: false, id: undefined as string | undefined, stop };
    this.#sends.set(call, ({ is, id }) => {
      watch.hasBegun = true;
      watch.isSlow ||= is === 'sent';
      if (is !== 'sending' && watch.id === undefined && v.is(networkId, id)) {
        watch.id = id;
        onId(id);
      }
      begin();
    });
    return watch;
  }

  /** Runs the program in each later document, but not in its frames. */
  async #install(program: string): Promise<void> {
    const source = `if (window === window.top) (() => { ${program}\naddEventListener('${this.#key}', program.call); })();`;
    await this.session.send('Page.addScriptToEvaluateOnNewDocument', { source });
  }

  #handle(): Promise<string> {
    if (this.#program) return this.#program;
    const program = this.#take();
    this.#program = program;
    program.catch(() => {
      if (this.#program === program) this.#program = undefined;
    });
    return program;
  }

  /** Takes the listener's function. Other listeners of the page are not kept: a handle would keep what they refer to. */
  async #take(): Promise<string> {
    const objectGroup = randomUUID(); // Its own: another take may be in progress, and releases its group.
    try {
      const { result } = await this.session.send('Runtime.evaluate', { expression: 'window', objectGroup });
      const { listeners } = await this.session.send('DOMDebugger.getEventListeners', {
        objectId: result.objectId ?? '',
      });
      const objectId = listeners.find(({ type }) => type === this.#key)?.handler?.objectId;
      if (!objectId) throw new Error('this document does not run the page program');
      const own = { objectId, functionDeclaration: 'function () { return this; }', objectGroup: this.#key };
      const { result: call } = await this.session.send('Runtime.callFunctionOn', own);
      return call.objectId ?? '';
    } finally {
      this.session.send('Runtime.releaseObjectGroup', { objectGroup }).catch(() => {}); // Nothing waits for it.
    }
  }

  /** The text comes from a web page, and may be anything. */
  #receive(payload: string): void {
    const signal = parsed(payload);
    if (SEND_SIGNALS.has(signal?.is)) this.#sends.get(signal?.call)?.(signal ?? {});
    else if (signal) this.#onSignal(signal);
  }
}

function parsed(payload: string): ReceivedSignal | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? (value as ReceivedSignal) : undefined;
  } catch {
    return undefined;
  }
}

/** A wait as received from the page; undefined if it is none. */
export function waitSeconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 ? Math.min(Math.ceil(seconds), MAX_WAIT_S) : undefined;
}

/** The page is a web page: its code may be none, and its sentence anything. */
function refusalOf({ refused, why, retryAfterSeconds }: ReceivedAnswer): GatewayError {
  const name = String(refused);
  const code = Object.hasOwn(CODES, name) ? (name as RefusalCode) : 'client_failed';
  return new GatewayError(
    code,
    cutText(String(why ?? 'the web client refused the call').replace(/\p{Cc}/gu, ' '), MAX_WHY),
    {
      retryAfterSeconds: waitSeconds(retryAfterSeconds),
    },
  );
}

/** What a function of the program threw: the message of an error, or the text of another value. */
function thrownText({ exception, text }: Protocol.Runtime.ExceptionDetails): string {
  const [line = ''] = (exception?.description ?? String(exception?.value ?? text)).split('\n', 1);
  const name = exception?.className;
  return name && line.startsWith(`${name}: `) ? line.slice(name.length + 2) : line;
}
