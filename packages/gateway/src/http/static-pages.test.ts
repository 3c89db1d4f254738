import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeGateway } from '../testing/fake-gateway.ts';
import { consolePages, referencePages } from './static-pages.ts';

const script = readdirSync(consolePages.dir).find((name) => /^console-.*\.js$/.test(name)) ?? '';

describe('the files of the console', () => {
  it('are served with a policy that allows only content from this server', async () => {
    await using gateway = await fakeGateway();
    const page = await gateway.request('/console/');
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('Cache-Control')).toBe('no-cache');
    const policy = page.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/unsafe|http:|https:|\*/);
    expect(await page.text()).toContain(`src="${script}"`);
  });

  it('and of the reference allow only the scripts of their own page', async () => {
    await using gateway = await fakeGateway();
    for (const [path, { dir }] of [
      ['/console/', consolePages],
      ['/docs/', referencePages],
    ] as const) {
      const { headers } = await gateway.request(path);
      const scripts = readdirSync(dir).filter((name) => name.endsWith('.js'));
      const hashes = scripts.map((name) =>
        createHash('sha256')
          .update(readFileSync(join(dir, name)))
          .digest('base64'),
      );
      const [, allowed = ''] = /(?:^|; )script-src ([^;]*)/.exec(headers.get('Content-Security-Policy') ?? '') ?? [];
      expect(allowed.split(' ').sort()).toEqual(hashes.map((hash) => `'sha256-${hash}'`).sort());
    }
  });

  it('are cached by browsers if their names contain a content hash', async () => {
    await using gateway = await fakeGateway();
    const answer = await gateway.request(`/console/${script}`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(answer.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect([answer.headers.get('Content-Encoding'), answer.headers.get('Vary')]).toEqual(['br', 'Accept-Encoding']);
    expect((await gateway.request(`/console/${script}`)).headers.get('Content-Encoding')).toBeNull();
  });

  it('are served below a trailing slash, also behind a proxy that adds a path', async () => {
    await using gateway = await fakeGateway();
    const answer = await gateway.request('/console');
    expect([answer.status, answer.headers.get('Location')]).toEqual([308, 'console/']);
  });

  it.each([
    '/console/nothing.js',
    '/console/console-0123456789.js',
    '/console/../package.json',
    '/console/%2e%2e/%2e%2e/package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/..\\..\\package.json',
    '/console//etc/passwd',
    '/console/%00',
    '/console/%',
    '/consoles/',
    '/docs/nothing.js',
    '/docs/..%2fconsole/index.html',
  ])('do not include %s', async (path) => {
    await using gateway = await fakeGateway();
    const answer = await gateway.request(path);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'route_not_found']);
    expect(answer.headers.get('Cache-Control')).toBeNull(); // The server's own: no-store.
  });
});
