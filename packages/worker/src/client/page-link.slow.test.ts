import { eventually } from '@chat-web/testing';
import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bareBrowser } from '../testing/bare-browser.ts';
import { CallLostError, PageLink } from './page-link.ts';

let browser: Browser;
let page: Page;
let link: PageLink;
const events = { onSignal: vi.fn(), onDetached: vi.fn() };

beforeAll(async () => {
  browser = await bareBrowser();
});
afterAll(() => browser.close());
/** Counts how often it runs in a document. */
const PROGRAM = `
  window.runs = (window.runs ?? 0) + 1;
  const functions = {
    runs: () => ({ ok: window.runs }),
    refuse: () => window.refusal,
    hang: () => {
      window.isHanging = true;
      return new Promise(() => {});
    },
  };
  const program = { call: async (name) => functions[name]() };
`;
const run = (name: 'runs' | 'hang' | 'refuse', by = link) =>
  (by as unknown as { run(name: string): Promise<unknown> }).run(name);

beforeEach(async () => {
  page = await browser.newPage();
  vi.clearAllMocks();
  link = await PageLink.open(page, PROGRAM, events);
  await page.goto('data:text/html,<p>first');
  return () => page.close();
});

describe('the program', () => {
  it('runs once in a document, whatever changes within it', async () => {
    for (const change of [
      `history.pushState({}, '')`,
      `history.replaceState({}, '')`,
      `location.hash = 'changed'`,
      `document.body.append(document.createElement('iframe'))`,
    ]) {
      expect(await run('runs')).toBe(1);
      await page.evaluate(change);
      expect(await run('runs'), change).toBe(1);
    }
  });

  it('runs once in each later document, whenever it is called', async () => {
    await run('runs');
    for (let round = 0; round < 5; round += 1) {
      const loaded = page.goto(`data:text/html,<p>${round}`);
      let isLoading = true;
      loaded.finally(() => {
        isLoading = false;
      });
      // A call may run in the document that is being replaced.
      while (isLoading) await run('runs').catch(() => {});
      await loaded;
      expect(await run('runs')).toBe(1);
    }
  });

  it('is called in a document that replaces another one while the first call waits for it', async () => {
    for (let round = 0; round < 5; round += 1) {
      await page.goto(
        `data:text/html,<script>for (const end = Date.now() + 200; Date.now() < end; );</script>${round}`,
      );
      page.evaluate('for (const end = Date.now() + 200; Date.now() < end; );').catch(() => {});
      const loaded = page.goto('data:text/html,<p>next');
      await run('runs').catch(() => {});
      await loaded;
      expect([await run('runs'), await run('runs')]).toEqual([1, 1]);
    }
  });

  it('cannot be found by the page, and does not run in frames', async () => {
    await page.goto('data:text/html,<script>window.early = Object.getOwnPropertyNames(window)</script>');
    const bare = await browser.newPage();
    await bare.goto('data:text/html,<script>window.early = Object.getOwnPropertyNames(window)</script>');
    await run('runs');
    for (const names of ['early', 'Object.getOwnPropertyNames(window)']) {
      const known = (await bare.evaluate(names)) as string[];
      const found = ((await page.evaluate(names)) as string[]).filter((name) => !known.includes(name));
      expect(found).toEqual(['runs']); // The program of this test counts there how often it runs.
    }
    await bare.close();
    const inFrame = `(() => { const frame = document.createElement('iframe'); document.body.append(frame); return frame.contentWindow.runs; })()`;
    expect(await page.evaluate(inFrame)).toBeUndefined();
  });

  it('is missing in a document that was there before the link: nothing runs', async () => {
    const other = await browser.newPage();
    const early = await PageLink.open(other, PROGRAM, events);
    const error = await run('runs', early).catch((error: unknown) => error);
    expect([String(error), error instanceof CallLostError]).toEqual([expect.stringContaining('page program'), false]);
    await other.close();
  });
});

it('a refusal of the page is checked', async () => {
  for (const [refusal, error] of [
    ['{ refused: "chat_not_found", why: "no such chat" }', { code: 'chat_not_found', message: 'no such chat' }],
    ['{ refused: "rate_limited", why: "", retryAfterSeconds: 1e9 }', { retryAfterSeconds: 86_400 }],
    ['{ refused: "constructor", why: "a\\r\\nb" }', { code: 'client_failed', message: 'a  b' }],
    ['{ refused: 7 }', { code: 'client_failed' }],
    ['{ refused: "chat_not_found", why: "x".repeat(1e6) }', { message: expect.stringMatching(/^x{200,300}…?$/) }],
  ] as const) {
    await page.evaluate(`window.refusal = ${refusal}`);
    await expect(run('refuse'), refusal).rejects.toMatchObject(error);
  }
});

describe('a link that the browser detaches from its page', () => {
  const detach = () => link.session.connection()?.send('Target.detachFromTarget', { sessionId: link.session.id() });

  it('fails pending and later calls, and reports it once', async () => {
    await run('runs');
    const inFlight = run('hang').catch((error: unknown) => error);
    await page.waitForFunction('globalThis.isHanging');
    await detach();
    expect(await inFlight).toBeInstanceOf(CallLostError);
    await expect(run('runs')).rejects.toThrow(CallLostError);
    await expect(link.listen()).rejects.toThrow(/closed/);
    expect(events.onDetached).toHaveBeenCalledTimes(1);
    expect(await page.evaluate('1 + 1')).toBe(2);
  });

  it('reports the same if the page closes', async () => {
    await page.close();
    await eventually(() => expect(events.onDetached).toHaveBeenCalledTimes(1));
    page = await browser.newPage();
  });

  it('does not report other links', async () => {
    const other = await PageLink.open(page, PROGRAM, { onSignal() {}, onDetached() {} });
    await page.goto('data:text/html,<p>second');
    await detach();
    await eventually(() => expect(events.onDetached).toHaveBeenCalledTimes(1));
    expect(await run('runs', other)).toBe(2); // That of the link that is gone, too.
  });
});

describe('a signal', () => {
  const signal = (payload: string) =>
    page.evaluate(
      (text) => (globalThis as unknown as { chatWebSignal(json: string): void }).chatWebSignal(text),
      payload,
    );
  const OTHERS: unknown[] = [null, 1, true, [], ['1'], {}, { toString: 1, valueOf: 1 }, { toString: null }];

  it('of a send goes to the send that it names, whatever else the page signals', async () => {
    const rejections: unknown[] = [];
    const onRejection = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', onRejection);
    await link.listen();
    const watch = link.watchSend();
    for (const value of OTHERS)
      for (const is of ['sending', 'sent', value])
        await signal(JSON.stringify({ is, call: value, id: value, model: value, ack: value }));
    for (const payload of ['', 'null', '[]', '"sent"', '{', '{"__proto__":{"is":"sent","call":"1"}}'])
      await signal(payload);
    expect(watch).toMatchObject({ hasBegun: false, id: undefined });

    await signal(JSON.stringify({ is: 'sent', call: watch.call, id: { toString: 1 } }));
    await watch.begun;
    expect(watch).toMatchObject({ hasBegun: true, id: undefined });
    await signal(JSON.stringify({ is: 'sent', call: watch.call, id: 'true_1@c.us_A' }));
    await eventually(() => expect(watch.id).toBe('true_1@c.us_A'));
    watch.stop();
    process.off('unhandledRejection', onRejection);
    expect(rejections).toEqual([]);
  });
});
