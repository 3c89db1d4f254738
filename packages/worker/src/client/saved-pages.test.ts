import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PageNotSavedError, SavedPages } from './saved-pages.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'saved-pages-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const document = {
  html: '<p>page</p>',
  headers: { 'content-security-policy': "default-src 'self'\nscript-src 'none'" },
};

describe('saved pages', () => {
  it('are read as they came, readable by their owner alone', async () => {
    const pages = new SavedPages(dir);
    await pages.keep('2.3000.1', document);
    expect(pages.read('2.3000.1')).toEqual(document);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  });

  it('may have been put there by somebody else, without headers', () => {
    writeFileSync(join(dir, '2.3000.2.html'), '<p>other</p>');
    expect(new SavedPages(dir).read('2.3000.2')).toEqual({ html: '<p>other</p>', headers: {} });
  });

  it('are named by their version, and by nothing else that a page says', async () => {
    await new SavedPages(dir).keep('../evil', document);
    expect(readdirSync(dir)).toEqual([]);
    expect(() => new SavedPages(dir).read('2.3000.3')).toThrow(PageNotSavedError);
  });

  it('are the last twenty, and leave nothing unfinished behind', async () => {
    const pages = new SavedPages(dir);
    const hoursAgo = (hours: number) => Date.now() / 1_000 - hours * 3_600;
    writeFileSync(join(dir, 'x.new'), '');
    utimesSync(join(dir, 'x.new'), hoursAgo(2), hoursAgo(2));
    for (let n = 10; n < 32; n += 1) {
      await pages.keep(`2.3000.${n}`, document);
      utimesSync(join(dir, `2.3000.${n}.html`), hoursAgo(100 - n), hoursAgo(100 - n));
    }
    const names = readdirSync(dir);
    expect(names.filter((name) => name.endsWith('.html'))).toHaveLength(20);
    expect(names).toHaveLength(40);
    expect(() => pages.read('2.3000.10')).toThrow(PageNotSavedError);
  });
});
