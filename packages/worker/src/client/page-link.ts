import { deferred, errorText, networkId } from '@chat-web/protocol';
import type { CDPSession, Page, Protocol } from 'puppeteer';
import * as v from 'valibot';
import type { PageScript } from './port.ts';

const BINDING = 'chatWebSignal';
const SEND_SIGNALS = new Set<unknown>(['sending', 'handed', 'sent']);
const APPLY = 'function (...args) { return this(...args); }';

/** A call without a result: its script may have run, or may still run. */
export class CallLostError extends Error {}

/** A `PageSignal` as received from the page: a field may be any JSON value, or absent. */
export type ReceivedSignal = Readonly<Record<string, unknown>>;

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
 * Our own connection to the page. A script is sent and compiled once per document, and then called by its handle; the
 * page's signals are one-way, without an answer. Puppeteer's `evaluate` sends the text with each call, and its
 * `exposeFunction` answers each signal with another call: together this doubles the processor time of worker and
 * browser.
 */
export class PageLink {
  /** Objects of the page belong to the session that created them. */
  readonly session: CDPSession;
  readonly #onSignal: (signal: ReceivedSignal) => void;
  /** Handles of scripts in the current document. */
  readonly #handles = new Map<unknown, Promise<string>>();
  readonly #sends = new Map<unknown, (signal: ReceivedSignal) => void>();
  #lastSend = 0;

  /** Opens a link to a page. Rejects if the page is closed. */
  static async open(page: Page, events: LinkEvents): Promise<PageLink> {
    const session = await page.createCDPSession();
    const link = new PageLink(session, events.onSignal);
    // If the browser is gone, the connection reports it.
    session.connection()?.on('sessiondetached', (detached) => {
      if (detached === session) events.onDetached();
    });
    await session.send('Page.enable');
    return link;
  }

  private constructor(session: CDPSession, onSignal: (signal: ReceivedSignal) => void) {
    this.session = session;
    this.#onSignal = onSignal;
    session.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === BINDING) this.#receive(payload);
    });
    // On the same session as the answers, and so in order with them. Puppeteer's event also covers navigation within
    // the document, which keeps its handles. The handles of a replaced document are gone.
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) this.#handles.clear();
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

  /** Runs a script in the page. Rejects if it throws, or if the document is lost meanwhile. */
  async run<A extends unknown[], R>(script: PageScript<A, R>, ...args: A): Promise<R> {
    return (await this.#call(script, args, true)).value as R;
  }

  /** Runs a script, and returns a handle of its result, if that is an object. The caller releases it. */
  async runForHandle<A extends unknown[]>(
    script: PageScript<A, object | undefined>,
    ...args: A
  ): Promise<string | undefined> {
    return (await this.#call(script, args, false)).objectId;
  }

  /** Returns the result itself, or with `returnByValue` a copy of it. */
  async #call(
    script: unknown,
    args: readonly unknown[],
    returnByValue: boolean,
  ): Promise<Protocol.Runtime.RemoteObject> {
    const call = {
      objectId: await this.#handleOf(script),
      functionDeclaration: APPLY,
      arguments: args.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue,
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

  #handleOf(script: unknown): Promise<string> {
    const known = this.#handles.get(script);
    if (known) return known;
    const handle = this.#install(String(script));
    this.#handles.set(script, handle);
    handle.catch(() => {
      if (this.#handles.get(script) === handle) this.#handles.delete(script);
    });
    return handle;
  }

  async #install(text: string): Promise<string> {
    const { result, exceptionDetails } = await this.session.send('Runtime.evaluate', { expression: `(${text})` });
    if (exceptionDetails) throw new Error(thrownText(exceptionDetails));
    if (!result.objectId) throw new Error('a page script is not a function');
    return result.objectId;
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

/** What a script threw: the message of an error, or the text of another value. */
function thrownText({ exception, text }: Protocol.Runtime.ExceptionDetails): string {
  const [line = ''] = (exception?.description ?? String(exception?.value ?? text)).split('\n', 1);
  const name = exception?.className;
  return name && line.startsWith(`${name}: `) ? line.slice(name.length + 2) : line;
}
