import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectSimulator, type SimulatorClient } from '@chat-web/simulator';
import { ADA, BEN, Example, eventually, rawRequest } from '@chat-web/testing';
import { openBrowser } from '@chat-web/testing/browser';
import { sharedStack } from '@chat-web/testing/story';
import type { Browser, HTTPRequest, Page } from 'puppeteer';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** A stranger who sends hostile messages. */
const EVE = '12025550999';
const HOSTILE_NAME = `"><img src=x onerror=hacked('name')>'&lt;`;
const HOSTILE_BODIES = [
  "<script>hacked('script')</script>",
  `"><img src="http://attacker.lan/x" onerror="hacked('img')">`,
  "</textarea></ol><svg onload=hacked('svg')>",
  "<a href=\"javascript:hacked('link')\">look</a> javascript:hacked('text')",
  '<style>*{display:none}</style><meta http-equiv=refresh content="0;url=http://attacker.lan">',
  `\u202eright to left\u202c ${'Z\u0351\u0352\u0357'.repeat(50)}`,
];
const TOKEN = 'a-token-of-the-inbox';

const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });
let folder: string;
let inbox: Example;
let url: string;
let browser: Browser;
let page: Page;
/** What hostile messages were able to run, and what the policy blocked. */
const harm: string[] = [];

async function startInbox(port = '0'): Promise<void> {
  inbox = new Example([process.execPath, 'inbox.mjs'], {
    GATEWAY_URL: stack.gateway.url,
    GATEWAY_TOKEN: TOKEN,
    SESSION: 'main',
    INBOX_PORT: port,
    INBOX_FOLDER: join(folder, 'inbox'),
  });
  url = (await inbox.line(/^inbox listening on /)).split(' ').at(-1) ?? '';
}

const shown = () => page.$$eval('.body', (bodies) => bodies.map(({ textContent }) => textContent));
const untilShown = (body: string) => eventually(async () => expect(await shown()).toContain(body));
const onPhone = async (number: string, body: string, phones = stack.phones) =>
  (await phones.messages(number)).filter((message) => message.body === body);
const write = (to: Page, text: string) => to.type('textarea', text);
const submit = (to: Page) => Promise.all([to.waitForNavigation(), to.click('form button')]);

/** From the page of an account that is not linked. */
const link = async (phones: SimulatorClient) => {
  await Promise.all([page.waitForNavigation(), page.click('form button')]);
  const qr = await page.waitForSelector('img');
  await phones.scan(ADA, `data:image/png;base64,${await qr?.screenshot({ encoding: 'base64' })}`);
  await page.waitForSelector('::-p-text(The account is ready.)');
};
const openChat = async (number: string) => {
  const chat = await page.waitForSelector(`a[href="/chat?with=${number}%40c.us"]`);
  await Promise.all([page.waitForNavigation(), chat?.click()]);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  await stack.phones.addAccount({ number: EVE, name: HOSTILE_NAME });
  await startInbox();
  browser = await openBrowser(['attacker.lan']);
  page = await browser.newPage();
  await page.exposeFunction('hacked', (how: string) => void harm.push(how));
  await page.evaluateOnNewDocument(
    "document.addEventListener('securitypolicyviolation', (e) => hacked(e.violatedDirective + ' ' + e.blockedURI))",
  );
  page.on('pageerror', (error) => harm.push(String(error)));
});
afterAll(async () => {
  await browser?.close();
  await inbox?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

it('links an account by the QR on its page', async () => {
  await page.goto(url);
  await link(stack.phones);
});

it('lists a new chat, and shows messages as they arrive', async () => {
  await stack.phones.send(BEN, { to: ADA, body: 'Is the table still to be had?' });
  await openChat(BEN);
  await untilShown('Is the table still to be had?');
  await stack.phones.send(BEN, { to: ADA, body: 'I could fetch it tomorrow.\n\nBen' });
  await untilShown('I could fetch it tomorrow.\n\nBen');
});

it('ignores a read that fails, and shows what it missed with the next one', async () => {
  let failed = 0;
  const failReads = (request: HTTPRequest) => {
    if (request.resourceType() !== 'fetch') return void request.continue();
    failed++;
    void request.abort();
  };
  await page.setRequestInterception(true);
  page.on('request', failReads);
  await stack.phones.send(BEN, { to: ADA, body: 'Are you there?' });
  await eventually(() => expect(failed).toBeGreaterThan(0));
  page.off('request', failReads);
  await page.setRequestInterception(false);
  await stack.phones.send(BEN, { to: ADA, body: 'Hello?' });
  await untilShown('Are you there?');
  await untilShown('Hello?');
  expect(harm).toEqual([]);
});

it('answers once, however often the form is sent', async () => {
  await write(page, 'Yes, it is.');
  await page.click('form button', { clickCount: 2 });
  await untilShown('Yes, it is.');
  await page.reload();

  const statuses = await page.evaluate(`(async () => {
    const form = new URLSearchParams(new FormData(document.querySelector('form')));
    form.set('text', 'Tomorrow is fine.');
    const asked = Array.from({ length: 5 }, () => fetch(location.href, { method: 'POST', body: form }));
    return (await Promise.all(asked)).map(({ status }) => status);
  })()`);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  await page.reload();
  await untilShown('Tomorrow is fine.');
  await eventually(async () => expect(await onPhone(BEN, 'Tomorrow is fine.')).toHaveLength(1));
  expect(await onPhone(BEN, 'Yes, it is.')).toHaveLength(1);
  expect((await shown()).filter((body) => body === 'Yes, it is.')).toHaveLength(1);
});

it('keeps the text if a form that was already sent is sent again with another text', async () => {
  const page = await browser.newPage();
  await page.goto(`${url}/chat?with=${BEN}@c.us`);
  const key = await page.evaluate('document.querySelector("[name=key]").value');
  await write(page, 'the first');
  await submit(page);
  await page.evaluate(`document.querySelector("[name=key]").value = "${key}"`);
  await write(page, 'the second');
  await submit(page);
  expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).toContain('send it again');
  expect(await page.evaluate('document.querySelector("textarea").value')).toBe('the second');
  await submit(page);
  await eventually(async () => expect(await onPhone(BEN, 'the second')).toHaveLength(1));
  await page.close();
});

it('runs nothing in hostile messages', async () => {
  for (const body of HOSTILE_BODIES) await stack.phones.send(EVE, { to: ADA, body });
  await page.goto(url);
  await openChat(EVE);
  for (const body of HOSTILE_BODIES) await untilShown(body);
  expect(harm).toEqual([]);
});

it('refuses forms from other sites, and other host names', async () => {
  const path = `/chat?with=${BEN}@c.us`;
  const body = 'key=abc&text=not+mine';
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (const headers of [
    { ...form, Origin: 'http://attacker.lan' },
    { ...form, Origin: 'null' },
    { ...form, Origin: 'http://attacker.lan', 'Sec-Fetch-Site': 'cross-site' },
    form,
  ])
    expect(await rawRequest(url, { method: 'POST', path, headers, body })).toMatchObject({ status: 403 });
  const rebound = { Host: `attacker.lan:${new URL(url).port}`, 'Sec-Fetch-Site': 'same-origin' };
  expect(await rawRequest(url, { path: '/', headers: rebound })).toMatchObject({ status: 421 });
  expect(await rawRequest(url, { method: 'POST', path, headers: { ...form, ...rebound }, body })).toMatchObject({
    status: 421,
  });
  for (const other of ['/chat?with=..%2f..%2fetc', '/chat?with=1@evil', '/chat', '/nothing'])
    expect(await rawRequest(url, { path: other }), other).toMatchObject({ status: 404 });
  const large = { ...form, Origin: url };
  expect(await rawRequest(url, { method: 'POST', path, headers: large, body: 'x'.repeat(200_000) })).toMatchObject({
    status: 413,
  });
  expect(await onPhone(BEN, 'not mine')).toEqual([]);
});

it('loses nothing and duplicates nothing while it and the gateway are killed', async () => {
  await page.goto(`${url}/chat?with=${BEN}@c.us`);
  const bodies = Array.from({ length: 12 }, (_, index) => `number ${index}`);
  const sendThem = async (from: number, to: number) => {
    for (const body of bodies.slice(from, to)) await stack.phones.send(BEN, { to: ADA, body });
  };
  const { port } = new URL(url);
  const { port: gatewayPort } = new URL(stack.gateway.url);
  await sendThem(0, 3);
  await untilShown('number 0');
  await inbox.kill();
  await sendThem(3, 6);
  await stack.gateway.end('SIGKILL');
  await sendThem(6, 9);
  await startInbox(port); // The gateway is down: stored messages are shown. An open page detects this by itself.
  await page.reload();
  await untilShown('number 0');
  await write(page, 'written meanwhile');
  await submit(page);
  expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).toContain('not arrive twice');

  await stack.restartGateway({ CHAT_WEB_PORT: gatewayPort });
  await stack.untilStatus('main', 'ready');
  await sendThem(9, 12);
  await untilShown('number 11');
  expect((await shown()).filter((body) => body?.startsWith('number '))).toEqual(bodies);
  await submit(page);
  await eventually(async () => expect(await onPhone(BEN, 'written meanwhile')).toHaveLength(1));
});

it('stops cleanly, and has recorded no harm', async () => {
  expect(await inbox.interrupt()).toBe(0);
  expect(harm).toEqual([]);
});

it('is started by npm run example', async () => {
  const main = fileURLToPath(new URL('../../scripts/dist/example.js', import.meta.url));
  const child = spawn(process.execPath, [main, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const exited = once(child, 'exit');
  const printed = (name: string) =>
    eventually(() => {
      const [, address] = lines.join('\n').match(new RegExp(`^${name} +(http:\\S+)`, 'm')) ?? [];
      if (address === undefined) throw new Error(`no address of ${name}: ${lines.join('\n')}`);
      return address;
    });
  try {
    const phones = connectSimulator(await printed('phones'));
    await page.goto(await printed('inbox'));
    await link(phones);
    await phones.send(BEN, { to: ADA, body: 'Anybody there?' });
    await openChat(BEN);
    await untilShown('Anybody there?');
    await write(page, 'Here I am.');
    await submit(page);
    await eventually(async () => expect(await onPhone(BEN, 'Here I am.', phones)).toHaveLength(1));
  } finally {
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  }
});
