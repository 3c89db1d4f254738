import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bareBrowser } from '../testing/bare-browser.ts';
import { PageAccess } from './page-access.ts';
import { PageLink } from './page-link.ts';

const PROGRAM = readFileSync(fileURLToPath(import.meta.resolve('@chat-web/worker/page')), 'utf8');
const PIECE = 131_072;
const TIMEOUT_MS = 10_000;

let browser: Browser;
let page: Page;
let link: PageLink;
let access: PageAccess;

beforeAll(async () => {
  browser = await bareBrowser();
});
afterAll(() => browser.close());
async function openPage() {
  page = await browser.newPage();
  link = await PageLink.open(page, PROGRAM, { onSignal() {}, onDetached() {} });
  await page.goto('data:text/html,<p>');
  access = new PageAccess({ page, link, isReady: true, assertSupported: async () => {}, onSent: () => {} });
  return () => page.close();
}

/** Stores the file that a script returns in the page, as the browser does with a file from the disk. */
async function hold(script: string): Promise<void> {
  const objectId = await link.runForHandle('openFileInput', 'key');
  if (!objectId) throw new Error('the page has no input');
  const functionDeclaration = `function () {
    const file = (() => { ${script} })();
    const { items, files } = new DataTransfer();
    items.add(new File([file], 'name', { type: file.type }));
    this.files = files;
  }`;
  const { exceptionDetails } = await link.session.send('Runtime.callFunctionOn', { objectId, functionDeclaration });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
  await link.run('keepFile', 'key');
}
/** A page's file whose bytes have no short period. */
const holdBytes = (size: number, type = '') =>
  hold(`const bytes = Uint8Array.from({ length: ${size} }, (_, at) => (at * at) >> 7);
    return new Blob([bytes], { type: '${type}' });`);
const bytesOf = (size: number) => Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * at) >> 7));
async function read(size: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of access.readFile(TIMEOUT_MS, 'key', size)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('a file in a page', () => {
  beforeAll(openPage);

  it.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 40 * PIECE + 7])(
    'of %i bytes is read byte for byte',
    async (size) => {
      await holdBytes(size);
      expect((await read(size)).equals(bytesOf(size))).toBe(true);
    },
  );

  it.each(['text/plain', 'text/html', 'application/json', 'image/svg+xml'])(
    'of type %s is the same bytes, whether they are valid text or not',
    async (type) => {
      const text = '\uFEFFä€😀\0\r\n'.repeat(200_000);
      await hold(`return new Blob([${JSON.stringify('\uFEFFä€😀\0\r\n')}.repeat(200_000)], { type: '${type}' })`);
      expect((await read(Buffer.byteLength(text))).toString()).toBe(text);
      await holdBytes(1_500_000, type);
      expect((await read(1_500_000)).equals(bytesOf(1_500_000))).toBe(true);
    },
  );
});

describe('a file in its own page', () => {
  beforeEach(openPage);

  it('is read while the page is busy, and after it has dropped the file', async () => {
    await holdBytes(16 * PIECE);
    const pieces: Buffer[] = [];
    for await (const piece of access.readFile(TIMEOUT_MS, 'key', 16 * PIECE)) {
      if (pieces.length === 0) {
        await link.run('dropFile', 'key');
        page.evaluate('for (const end = Date.now() + 3_000; Date.now() < end; );').catch(() => {});
      }
      pieces.push(piece);
    }
    expect(Buffer.concat(pieces).equals(bytesOf(16 * PIECE))).toBe(true);
  });

  it.each([
    ['is shorter than announced', 'return new Blob(["short"])', 'session_lost'],
    ['is empty', 'return new Blob([])', 'session_lost'],
    ['is longer than announced', 'return new Blob(["x".repeat(3_000_000)])', 'client_failed'],
  ])('that %s: %s', async (_, script, code) => {
    await hold(script);
    await expect(read(2_000_000)).rejects.toMatchObject({ code });
  });

  it.each([
    ['another object', '({ size: 2_000_000, slice: () => ({}) })', 'client_failed'],
    ['a text', '"blob:00000000-0000-0000-0000-000000000000"', 'session_lost'],
    ['an error', '(() => { throw new Error("not yours") })()', 'client_failed'],
  ])('whose bytes the page replaces by %s: %s', async (_, value, code) => {
    await holdBytes(10);
    await page.evaluate(`Blob.prototype.slice = () => ${value}`);
    await expect(read(2_000_000)).rejects.toMatchObject({ code });
  });

  it('is lost with the page', async () => {
    await holdBytes(32 * PIECE);
    const pieces = access.readFile(TIMEOUT_MS, 'key', 32 * PIECE);
    await pieces.next();
    await page.close();
    await expect(
      (async () => {
        for (;;) if ((await pieces.next()).done) return;
      })(),
    ).rejects.toMatchObject({ code: 'session_lost' });
    page = await browser.newPage();
  });

  it('is read within its time limit, even if the clock is changed', async () => {
    await holdBytes(200 * PIECE);
    const pieces = access.readFile(TIMEOUT_MS, 'key', 200 * PIECE);
    await pieces.next();
    vi.useFakeTimers({ toFake: ['Date'] }).setSystemTime(Date.now() + 3_600_000);
    let left = 200 - 1;
    for await (const _ of pieces) left -= 1;
    expect(left).toBe(0);
  });

  it('fails after its time limit', async () => {
    await page.evaluate('setTimeout(() => { for (const end = Date.now() + 3_000; Date.now() < end; ); })');
    const pieces = access.readFile(300, 'key', 10);
    await expect(pieces.next()).rejects.toMatchObject({ code: 'session_lost' });
  });
});
