import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attempt } from '@chat-web/protocol';
import { beforeEach } from 'vitest';
import { CallTime } from '../call-time.ts';
import type {
  Call,
  HandlerDependencies,
  PageArgs,
  PageCalls,
  PageFunction,
  PageResult,
  RunInPage,
  SendArgs,
  SendFunction,
  SendLimits,
} from '../client/port.ts';
import { SpoolShare } from '../media/spool-share.ts';
import type { MessageModel } from '../page/models.ts';

/** One call of the page program, as a handler made it. */
interface PageCall {
  readonly kind: 'read' | 'change' | 'send';
  readonly name: PageFunction;
  readonly args: readonly unknown[];
  readonly timeoutMs: number;
}

/** What a function of the program returns in a test. */
type PageAnswers = { readonly [N in PageFunction]: (...args: PageArgs<N>) => PageResult<N> };
type SendAnswers = { readonly [N in SendFunction]: (...args: SendArgs<N>) => PageResult<N> };

/** Runs these functions instead of those of the page program. */
export function runOf(functions: Partial<Record<PageFunction, (...args: never[]) => Promise<unknown>>>): RunInPage {
  return (async (name: PageFunction, ...args: never[]) => functions[name]?.(...args)) as RunInPage;
}

/** A page whose functions return what a test sets. One without an answer throws, except `dropFile`. */
class FakePage implements PageCalls {
  readonly calls: PageCall[] = [];
  /** The arguments of `onSent`, oldest first. */
  readonly confirmations: boolean[] = [];
  /** Paths of the files that the browser has opened. */
  readonly files: string[] = [];
  /** The content of every file in the page. */
  pieces: () => Iterable<Buffer> = () => [];
  readonly #answers = new Map<PageFunction, (...args: never[]) => unknown>([['dropFile', () => {}]]);

  /** Sets the answer of a function from now on. */
  on<N extends PageFunction>(name: N, answer: PageAnswers[N]): this {
    this.#answers.set(name, answer as (...args: never[]) => unknown);
    return this;
  }

  /** The calls of one function, oldest first. */
  callsOf(name: PageFunction): PageCall[] {
    return this.calls.filter((call) => call.name === name);
  }

  read<N extends PageFunction>(timeoutMs: number, name: N, ...args: PageArgs<N>): Promise<PageResult<N>> {
    return this.#call({ kind: 'read', name, args, timeoutMs });
  }

  change<N extends PageFunction>(timeoutMs: number, name: N, ...args: PageArgs<N>): Promise<PageResult<N>> {
    return this.#call({ kind: 'change', name, args, timeoutMs });
  }

  /** The function is called without its plan. */
  send<N extends SendFunction>({ timeoutMs }: SendLimits, name: N, ...args: SendArgs<N>): Promise<PageResult<N>> {
    return this.#call({ kind: 'send', name, args, timeoutMs });
  }

  /** Sets the answer of a sending function from now on. */
  onSend<N extends SendFunction>(name: N, answer: SendAnswers[N]): this {
    this.#answers.set(name, answer as (...args: never[]) => unknown);
    return this;
  }

  withFile<R>(_timeoutMs: number, path: string, work: (key: string) => Promise<R>): Promise<R> {
    this.files.push(path);
    return work(`file:${this.files.length}`);
  }

  async *readFile(): AsyncGenerator<Buffer> {
    yield* this.pieces();
  }

  onSent(isConfirmed: boolean): void {
    this.confirmations.push(isConfirmed);
  }

  async #call<R>(call: PageCall): Promise<R> {
    this.calls.push(call);
    const answer = this.#answers.get(call.name);
    if (!answer) throw new Error(`no answer for ${call.name}`);
    return (await answer(...(call.args as never[]))) as R;
  }
}

interface FakeContext extends HandlerDependencies {
  readonly page: FakePage;
}

const MAX_BYTES = 10_000_000;
const LIMIT_MS = 120_000;

/** Handlers that need no call, and their context, which are new in each test. */
export function freshHandlers<H extends object>(make: (context: HandlerDependencies) => H) {
  const context = {} as FakeContext;
  const handlers = {} as ReturnType<typeof callable<H>>;
  beforeEach(() => {
    const dir = mkdtempSync(join(tmpdir(), 'chat-web-handlers-'));
    const fresh: FakeContext = {
      page: new FakePage(),
      linking: { requestCode: () => Promise.reject(new Error('no page can be linked')) },
      uploadsDir: dir,
      spoolDir: dir,
      spoolShare: new SpoolShare(MAX_BYTES),
      fetchLimits: { allowedHosts: [], maxBytes: MAX_BYTES, timeoutMs: 1_000, userAgent: 'chat-web/0' },
    };
    Object.assign(handlers, callable(make(Object.assign(context, fresh))));
    return () => rmSync(dir, { recursive: true });
  });
  return { context, handlers };
}

type Handler = (input: never, call: Call) => unknown;
type WithoutCall<F> = F extends (input: infer I, call: Call) => infer R ? (input: I, attempt?: Attempt) => R : never;

/** Gives each call of the handlers the time limit of a send. */
function callable<H extends object>(handlers: H): { readonly [K in keyof H]: WithoutCall<H[K]> } {
  const called = Object.entries(handlers).map(([name, handler]: [string, Handler]) => [
    name,
    (input: never, attempt?: Attempt) => handler(input, { time: new CallTime(LIMIT_MS, true), attempt }),
  ]);
  return Object.fromEntries(called);
}

/** Writes a file to the uploads, and returns how a call refers to it. */
export function upload({ uploadsDir }: HandlerDependencies, file: string, bytes: string | Buffer) {
  writeFileSync(join(uploadsDir, file), bytes);
  return { file, size: bytes.length };
}

export function messageModel(fields: Partial<MessageModel> = {}): MessageModel {
  return {
    id: 'true_12025550102@c.us_3EB0AA',
    fromMe: true,
    from: '12025550101@c.us',
    to: '12025550102@c.us',
    author: undefined,
    senderName: undefined,
    username: undefined,
    quotedMessageId: undefined,
    mentionedIds: [],
    type: 'chat',
    body: 'hello',
    caption: undefined,
    t: 1_700_000_000,
    ack: 0,
    hasMedia: false,
    mimetype: undefined,
    filename: undefined,
    isForwarded: false,
    isStatus: false,
    mentionAll: false,
    gif: false,
    viewOnce: false,
    ...fields,
  };
}
