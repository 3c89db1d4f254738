import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ADA, BEN, eventually, listening } from '@chat-web/testing';
import { openBrowser } from '@chat-web/testing/browser';
import { storedEvents } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Some of each kind. */
const types = [
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/xml',
  'text/xsl',
  'application/xml',
  'text/javascript',
  'application/x-ecmascript',
  'text/livescript',
  'text/css',
];

/** The content of a file that reports `ran`, in whichever way it is run. */
function contentOf(type: string): string {
  if (type === 'text/css') return ':root { --ran: yes }';
  if (/script/.test(type)) return `globalThis.ran ? ran('script') : postMessage('')`;
  if (type === 'text/html') return `<script>ran('page')</script>`;
  const root = type === 'image/svg+xml' ? 'svg xmlns="http://www.w3.org/2000/svg"' : 'x';
  return `<${root}><script xmlns="http://www.w3.org/1999/xhtml">ran('page')</script></${root.split(' ', 1)}>`;
}

/** Runs in a page: loads a file in each way that runs it there. */
const LOAD = `async (url) => {
  const add = (name, attributes) => new Promise((done) => {
    const added = Object.assign(document.createElementNS('http://www.w3.org/1999/xhtml', name), attributes);
    added.onload = added.onerror = done;
    document.documentElement.append(added);
  });
  await add('script', { src: url });
  await add('script', { src: url, type: 'module' });
  await add('link', { rel: 'stylesheet', href: url });
  if (getComputedStyle(document.documentElement).getPropertyValue('--ran')) await ran('style');
  await new Promise((done) => {
    const worker = new Worker(url);
    worker.onmessage = () => ran('worker').then(done);
    worker.onerror = done;
  });
}`;

const stack = sharedStack();
let browser: Browser;
/** Serves the same files as their sender describes them, without any protection. */
let unprotected: Server;
let unprotectedUrl: string;
/** The messages with the files, by type. */
const ids = new Map<string, string>();

beforeAll(async () => {
  await stack.linkLongAgo('main', ADA);
  for (const type of types) {
    const media = { kind: 'document', base64: btoa(contentOf(type)), mimeType: type, filename: 'bill.pdf' } as const;
    await stack.phones.send(BEN, { to: ADA, media });
  }
  await eventually(async () => {
    for (const { name, data } of await storedEvents(stack, 'main'))
      if (name === 'message') ids.set(data.mimeType ?? '', data.id);
    expect([...ids.keys()].sort()).toEqual([...types].sort());
  });
  unprotected = createServer(async ({ url = '/' }, response) => {
    const type = decodeURIComponent(url.slice(1));
    const id = ids.get(type);
    const file = id === undefined ? undefined : await stack.client.getMedia({ id: 'main', messageId: id });
    const bytes = new Uint8Array(await new Response(file?.data ?? '<p>a page</p>').arrayBuffer());
    response.setHeader('Content-Type', type || 'text/html').end(bytes);
  });
  unprotectedUrl = `http://127.0.0.1:${await listening(unprotected)}/`;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  unprotected?.closeAllConnections();
  unprotected?.close();
});

/** Opens a page, does something there, and returns what files ran meanwhile. */
async function ranIn(start: string, act: (page: Page) => Promise<unknown>): Promise<string[]> {
  const page = await browser.newPage();
  try {
    const ran: string[] = [];
    await page.exposeFunction('ran', (how: string) => void ran.push(how));
    await page.goto(start);
    await act(page);
    // Scripts of a page have run once a later one has.
    await page.evaluate('1').catch(() => {});
    await page.goto(start);
    return ran;
  } finally {
    await page.close();
  }
}

/** Follows a link, and waits for the page, or for the download that begins instead. */
async function follow(page: Page, href: string): Promise<void> {
  const over = new Promise<void>((done) => {
    page.once('load', () => done());
    page.on('requestfailed', () => done());
  });
  await page.evaluate(`location.href = ${JSON.stringify(href)}`);
  await over;
}

const toBlob = (url: string) =>
  `fetch(${JSON.stringify(url)}).then((answer) => answer.blob()).then(URL.createObjectURL)`;

/** What runs of a file that is loaded by a page of the same origin, opened, and opened as a blob of that page. */
async function attempts(start: string, url: string): Promise<string[]> {
  const loaded = await ranIn(start, (page) => page.evaluate(`(${LOAD})(${JSON.stringify(url)})`));
  const opened = await ranIn(start, (page) => follow(page, url));
  const asBlob = await ranIn(start, async (page) => follow(page, String(await page.evaluate(toBlob(url)))));
  return [...loaded, ...opened.map((how) => `opened ${how}`), ...asBlob.map((how) => `blob ${how}`)];
}

const mediaUrl = (type: string) =>
  `${stack.gateway.url}/sessions/main/messages/${encodeURIComponent(ids.get(type) ?? '')}/media`;

describe.each(types)('a file of type %s', (type) => {
  it('runs nothing with the origin of the gateway', async () => {
    expect(await attempts(`${stack.gateway.url}/health`, mediaUrl(type))).toEqual([]);
  });

  it('would run without the protection', async () => {
    const expected = /css/.test(type)
      ? ['style']
      : /script/.test(type)
        ? ['script', 'script', 'worker']
        : ['opened page', 'blob page'];
    expect(await attempts(unprotectedUrl, new URL(encodeURIComponent(type), unprotectedUrl).href)).toEqual(expected);
  });
});

describe.each(['docs', 'console'])('a page of the gateway, /%s,', (path) => {
  const own = path === 'docs' ? 'reference' : 'console';
  const other = path === 'docs' ? 'console' : 'reference';
  const scriptOf = (of: string) => {
    const dir = fileURLToPath(new URL('.', import.meta.resolve(`@chat-web/console/${of}/index.html`)));
    const name = readdirSync(dir).find((file) => file.startsWith(`${of}-`) && file.endsWith('.js')) ?? '';
    return `${stack.gateway.url}/${of === 'console' ? 'console' : 'docs'}/${name}`;
  };
  /** Adds a script to the page; the directive of its policy that forbids it. */
  const add = (page: Page, src: string, integrity = '') =>
    page.evaluate(`new Promise((done) => {
      document.addEventListener('securitypolicyviolation', (violation) => done(violation.effectiveDirective));
      const added = Object.assign(document.createElement('script'), ${JSON.stringify({ integrity })});
      added.onload = () => done('loaded');
      added.src = ${JSON.stringify(src)};
      document.head.append(added);
    })`);

  it('runs its own scripts, and no other of the same origin', async () => {
    const page = await browser.newPage();
    try {
      const open = () => page.goto(`${stack.gateway.url}/${path}/`);
      await open();
      const integrity = await page.$eval(`script[src^="${own}-"]`, (script) => script.getAttribute('integrity') ?? '');
      if (path === 'docs') expect(await add(page, scriptOf(own), integrity)).toBe('loaded');
      for (const src of [scriptOf(own), scriptOf(other), mediaUrl('text/javascript')]) {
        await open();
        // In the console, Trusted Types refuse each script that is added, before the policy does.
        if (path === 'docs') expect(await add(page, src)).toBe('script-src-elem');
        else await expect(add(page, src)).rejects.toThrow('TrustedScriptURL');
      }
    } finally {
      await page.close();
    }
  });
});

it('a page that /docs offers as a file has neither its own scripts nor those of other files', async () => {
  const script = mediaUrl('text/javascript');
  const html = `<script>ran('inline')</script><script src="${script}"></script><script src="${unprotectedUrl}"></script>`;
  const blobOf = (text: string) => `URL.createObjectURL(new Blob([${JSON.stringify(text)}], { type: 'text/html' }))`;
  const openIn = (start: string, text: string) =>
    ranIn(start, async (page) => follow(page, String(await page.evaluate(blobOf(text)))));
  expect(await openIn(`${stack.gateway.url}/docs/`, html)).toEqual([]);
  const control = html.replace(script, new URL('text%2Fjavascript', unprotectedUrl).href);
  expect(await openIn(unprotectedUrl, control)).toEqual(['inline', 'script']);
});
