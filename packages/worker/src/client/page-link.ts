import { errorText, networkId } from '@chat-web/protocol';
import type { CDPSession, Page, Protocol } from 'puppeteer';
import * as v from 'valibot';
import type { PageScript } from './port.ts';

const BINDING = 'chatWebSignal';
const SEND_SIGNALS = new Set<unknown>(['sending', 'handed', 'sent']);
const APPLY = 'function (...args) { return this(...args); }';

/** A call whose script may have run, or may still. */
export class CallLostError extends Error {}

/** A `PageSignal` as it comes out of the page: a field may be anything that JSON can hold, or be absent. */
export type ReceivedSignal = Readonly<Record<string, unknown>>;

/** What a link tells by itself. */
export interface LinkEvents {
  /** All but the signals of sends. */
  onSignal(signal: ReceivedSignal): void;
  /** The browser has detached the link, with its page or from it: its calls have failed, as all later ones will. */
  onDetached(): void;
}

/** What the page tells of one send. */
export interface SendWatch {
  /** Identifies the send in the page. */
  readonly call: string;
  /** Resolves right before the page hands the message over. */
  readonly begun: Promise<void>;
  readonly hasBegun: boolean;
  /** The id of the message, once it was handed over under a chosen one, or the network takes its time to confirm it. */
  readonly id: string | undefined;
  /** The network takes its time. */
  readonly isSlow: boolean;
  stop(): void;
}

/**
 * Our own line into the page. A script is sent and compiled once for each document, and then called by its handle; the
 * page's signals come one way, without an answer. Puppeteer's `evaluate` sends the text with each call, and its
 * `exposeFunction` answers each signal with another call: together twice the processor time of worker and browser.
 */
export class PageLink {
  /** Objects of the page belong to the session that has made them. */
  readonly session: CDPSession;
  readonly #onSignal: (signal: ReceivedSignal) => void;
  /** Handles of scripts in the present document. */
  readonly #handles = new Map<unknown, Promise<string>>();
  readonly #sends = new Map<unknown, (signal: ReceivedSignal) => void>();
  #lastSend = 0;

  /** Opens a link to a page. Rejects if the page is closed. */
  static async open(page: Page, events: LinkEvents): Promise<PageLink> {
    const session = await page.createCDPSession();
    const link = new PageLink(session, events.onSignal);
    // Of a browser that is gone, the connection tells.
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
    // By the same session as the answers, and so in their order. Puppeteer's event is also that of a navigation within
    // the document, which keeps its handles. Those of a document that is gone are gone with it.
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) this.#handles.clear();
    });
  }

  /** Puppeteer overrides none while it does not observe the network. */
  async overrideUserAgent(userAgent: string): Promise<void> {
    await this.session.send('Emulation.setUserAgentOverride', { userAgent });
  }

  /** Lets the present document signal. */
  async listen(): Promise<void> {
    await this.session.send('Runtime.addBinding', { name: BINDING });
  }

  /** Runs a script in the page. Rejects if it throws, or if the document is lost meanwhile. */
  async run<A extends unknown[], R>(script: PageScript<A, R>, ...args: A): Promise<R> {
    return (await this.#call(script, args, true)).value as R;
  }

  /** Runs a script, and returns a handle of the object that it returns; undefined for anything else. To be released. */
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
        // The browser has many errors for a call that it gives no result of, such as "Promise was collected".
        throw new CallLostError(errorText(error));
      });
    if (exceptionDetails) throw new Error(thrownText(exceptionDetails));
    return result;
  }

  /** Watches a new send, until it is stopped. `onId`: called when its id is known. */
  watchSend(onId: (id: string) => void = () => {}): SendWatch {
    this.#lastSend += 1;
    const call = String(this.#lastSend);
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
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
    if (!result.objectId) throw new Error('a script of ours is no function');
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
