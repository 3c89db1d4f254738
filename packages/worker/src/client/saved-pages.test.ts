import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { describe, expect, it } from 'vitest';
import { SavedPages } from './saved-pages.ts';

const dir = freshFolder();

const document = {
  html: '<p>page</p>',
  headers: { 'content-security-policy': "default-src 'self'\nscript-src 'none'" },
};

describe('saved pages', () => {
  it('are unchanged, and readable only by their owner', async () => {
    const pages = new SavedPages(dir);
    await pages.save('2.3000.1', document);
    expect(readFileSync(join(dir, '2.3000.1.html'), 'utf8')).toBe(document.html);
    expect(JSON.parse(readFileSync(join(dir, '2.3000.1.headers.json'), 'utf8'))).toEqual(document.headers);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  });

  it('are only named by a valid version', async () => {
    await new SavedPages(dir).save('../evil', document);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('are the last twenty; unfinished files are removed', async () => {
    const pages = new SavedPages(dir);
    const hoursAgo = (hours: number) => Date.now() / 1_000 - hours * 3_600;
    writeFileSync(join(dir, 'x.new'), '');
    utimesSync(join(dir, 'x.new'), hoursAgo(2), hoursAgo(2));
    for (let n = 10; n < 32; n += 1) {
      await pages.save(`2.3000.${n}`, document);
      utimesSync(join(dir, `2.3000.${n}.html`), hoursAgo(100 - n), hoursAgo(100 - n));
    }
    const names = readdirSync(dir);
    expect(names.filter((name) => name.endsWith('.html'))).toHaveLength(20);
    expect(names).toHaveLength(40);
    expect(existsSync(join(dir, '2.3000.10.html'))).toBe(false);
  });
});
