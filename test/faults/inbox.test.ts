import { spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { eventually } from '../helpers/eventually.ts';
import { Example } from '../helpers/example.ts';
import { rawRequest } from '../helpers/raw-request.ts';
import { ADA, BEN, Stack } from '../helpers/stack.ts';

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
const APP_SECRET = 'an-app-secret';

let stack: Stack;
let folder: string;
let inbox: Example;
let url: string;
let browser: Browser;
let page: Page;
/** What hostile messages were able to run, and what the policy blocked. */
const harm: string[] = [];

async function startInbox(port = '0'): Promise<void> {
  inbox = new Example([process.execPath, 'inbox/dist/main.js'], {
    ...{ GATEWAY_URL: stack.gateway.url, GATEWAY_TOKEN: TOKEN, SESSION: 'main' },
    ...{ INBOX_PORT: port, INBOX_FILE: join(folder, 'inbox.jsonl'), INBOX_PICTURES_AFTER_MINUTES: '0' },
    ...{ CHAT_VERIFY_TOKEN: 'verify-me', CHAT_APP_SECRET: APP_SECRET },
  });
  url = (await inbox.line(/^inbox listening on /)).split(' ').at(-1) ?? '';
}

const shown = () => page.$$eval('#messages .body', (bodies) => bodies.map(({ textContent }) => textContent));
const untilShown = (body: string) => eventually(async () => expect(await shown()).toContain(body));
const accountState = () => page.$eval('#account', ({ textContent }) => textContent);
const onPhone = async (number: string, body: string) =>
  (await stack.phones.messages(number)).filter((message) => message.body === body);
const write = (to: Page, text: string) => to.type('#text', text);
const submit = (to: Page) => Promise.all([to.waitForNavigation(), to.click('.answer button')]);

/** For manual review: `INBOX_SCREENSHOTS=<folder>` saves screenshots of the pages. */
async function look(name: string): Promise<void> {
  const into = process.env.INBOX_SCREENSHOTS;
  for (const width of [360, 1280]) {
    await page.setViewport({ width, height: width === 360 ? 740 : 800 });
    const tooWide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(tooWide, `${name} at ${width} px`).toBeLessThanOrEqual(0);
    if (into) await page.screenshot({ path: join(into, `${name}-${width}.png`) as `${string}.png` });
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  await stack.phones.profile(BEN, { picture: 'present' });
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
  await stack?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

it('links an account by the QR on its page, and then opens the inbox automatically', async () => {
  await page.goto(url);
  expect(page.url()).toBe(`${url}/link`);
  await look('start');
  await Promise.all([page.waitForNavigation(), page.click('form button')]);
  const qr = await page.waitForSelector('img.qr');
  await look('qr');
  const picture = await qr?.screenshot({ encoding: 'base64' });
  await stack.phones.scan(ADA, `data:image/png;base64,${picture}`);
  await eventually(() => expect(page.url()).toBe(`${url}/`));
});

it('lists a new chat with its picture, and shows messages as they arrive', async () => {
  await stack.phones.send(BEN, { to: ADA, body: 'Is the table still to be had?' });
  const chat = await page.waitForSelector(`a[href="/chats/${BEN}@c.us"]`);
  await eventually(async () => {
    const width = await chat?.$eval('img', (image) => image.complete && image.naturalWidth);
    expect(width).toBeGreaterThan(0);
  });
  await look('list');
  await Promise.all([page.waitForNavigation(), chat?.click()]);
  await untilShown('Is the table still to be had?');
  await stack.phones.send(BEN, { to: ADA, body: 'I could fetch it tomorrow.\n\nBen' });
  await untilShown('I could fetch it tomorrow.\n\nBen');
});

it('answers once, however often the form is sent', async () => {
  await write(page, 'Yes, it is.');
  await page.click('.answer button', { clickCount: 2 });
  await untilShown('Yes, it is.');
  await page.reload();

  const statuses = await page.evaluate(`(async () => {
    const form = new FormData(document.querySelector('.answer'));
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
  await eventually(async () =>
    expect(await page.$eval('.mine small', ({ textContent }) => textContent)).toMatch(/delivered/),
  );
});

it('keeps the text if a form that was already sent is sent again with another text', async () => {
  const page = await browser.newPage();
  await page.goto(`${url}/chats/${BEN}@c.us`);
  const key = await page.evaluate('document.querySelector("[name=key]").value');
  await write(page, 'the first');
  await submit(page);
  await page.evaluate(`document.querySelector("[name=key]").value = "${key}"`);
  await write(page, 'the second');
  await submit(page);
  expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).toContain('send it again');
  expect(await page.evaluate('text.value')).toBe('the second');
  await submit(page);
  await eventually(async () => expect(await onPhone(BEN, 'the second')).toHaveLength(1));
  await page.close();
});

it('sends a picture with a caption, and shows it', async () => {
  const file = join(folder, 'a picture.png');
  const bytes = (await page.screenshot()) as Uint8Array;
  await writeFile(file, bytes);
  const input = await page.$('#file');
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file);
  await write(page, 'The table');
  await submit(page);
  const [got] = await eventually(async () => {
    const found = await onPhone(BEN, 'The table');
    expect(found).toHaveLength(1);
    return found;
  });
  const { sha256, mimeType } = await stack.phones.media(BEN, got?.id ?? '');
  expect({ sha256, mimeType }).toEqual({
    sha256: createHash('sha256').update(bytes).digest('hex'),
    mimeType: 'image/png',
  });
  await eventually(async () =>
    expect(await page.evaluate('document.querySelector(".image img").naturalWidth')).toBeGreaterThan(0),
  );
  await look('conversation');
});

it('runs nothing in hostile messages', async () => {
  for (const body of HOSTILE_BODIES) await stack.phones.send(EVE, { to: ADA, body });
  const html = Buffer.from("<script>hacked('html')</script>").toString('base64');
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="hacked('svg file')"/>`).toString('base64');
  const filename = `"><img src=x onerror=hacked('file')>\u202efdp.html`;
  await stack.phones.send(EVE, { to: ADA, media: { kind: 'document', base64: html, mimeType: 'text/html', filename } });
  await stack.phones.send(EVE, { to: ADA, media: { kind: 'image', base64: svg, mimeType: 'image/svg+xml' } });
  const chat = await page.waitForSelector(`a[href="/chats/${EVE}@c.us"]`);
  await look('hostile-list');
  await Promise.all([page.waitForNavigation(), chat?.click()]);
  for (const body of HOSTILE_BODIES) await untilShown(body);
  await look('hostile-conversation');

  const files = await eventually(async () => {
    const links = await page.$$eval('#messages a', (all) => all.map(({ href }) => href));
    expect(links).toHaveLength(2);
    return links;
  });
  for (const file of files) {
    const { status, headers } = await fetch(file);
    expect({
      status,
      type: headers.get('content-type'),
      how: headers.get('content-disposition')?.split(';')[0],
    }).toEqual({
      ...{ status: 200, type: 'application/octet-stream', how: 'attachment' },
    });
    const tab = await browser.newPage();
    await expect(tab.goto(file)).rejects.toThrow('ERR_ABORTED'); // A download.
    await tab.close();
  }
  expect(harm).toEqual([]);
});

it('refuses forms from other sites, and other host names', async () => {
  const path = `/chats/${BEN}@c.us`;
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
  const large = { ...form, Origin: url, 'Content-Length': '17000000' };
  expect(await rawRequest(url, { method: 'POST', path, headers: large, body })).toMatchObject({ status: 413 });
  for (const other of ['/chats/..%2f..%2fetc', '/chats/1@evil', '/pictures/x', '/media/..%2fx', '/nothing'])
    expect(await rawRequest(url, { path: other }), other).toMatchObject({ status: 404 });
  expect(await onPhone(BEN, 'not mine')).toEqual([]);
});

it('loses nothing and duplicates nothing while it and the gateway are killed', async () => {
  await page.goto(`${url}/chats/${BEN}@c.us`);
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
  await eventually(async () => expect(await accountState()).toContain('cannot be reached'));
  await page.reload();
  await untilShown('number 0');
  await write(page, 'written meanwhile');
  await submit(page);
  await look('gateway-away');
  expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).toContain('not arrive twice');

  await stack.restartGateway({ CHAT_WEB_PORT: gatewayPort });
  await stack.untilStatus('main', 'ready');
  await sendThem(9, 12);
  await untilShown('number 11');
  expect((await shown()).filter((body) => body?.startsWith('number '))).toEqual(bodies);
  await eventually(async () => expect(await accountState()).toBe(''));
  await submit(page);
  await eventually(async () => expect(await onPhone(BEN, 'written meanwhile')).toHaveLength(1));
});

it("accepts deliveries of the provider's cloud if they are signed", async () => {
  const challenge = `${url}/webhooks/chat?hub.mode=subscribe&hub.verify_token=verify-me&hub.challenge=42`;
  expect(await (await fetch(challenge)).text()).toBe('42');
  const metadata = { display_phone_number: '12025550100', phone_number_id: '1' };
  const message = { id: 'wamid.1', from: BEN, timestamp: '1795399200', type: 'text', text: { body: 'By the cloud' } };
  const contacts = [{ wa_id: BEN, profile: { name: 'Ben' } }];
  const value = { messaging_product: 'whatsapp', metadata, contacts, messages: [message] };
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
  });
  const deliver = (signature: string) =>
    fetch(`${url}/webhooks/chat`, { method: 'POST', body, headers: { 'X-Hub-Signature-256': `sha256=${signature}` } });
  expect((await deliver('0'.repeat(64))).status).toBe(401);
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex');
  for (const _ of [1, 2]) expect((await deliver(signature)).status).toBe(200);
  await untilShown('By the cloud');
  expect((await shown()).filter((one) => one === 'By the cloud')).toHaveLength(1);
});

it('lists the newest chats of a large account', async () => {
  await stack.phones.fill(ADA, { chats: 1_000 });
  await eventually(async () => {
    await page.goto(url);
    expect(await page.$$('#chats li')).toHaveLength(200);
  });
  const state = await page.evaluate(`fetch('/chats/${BEN}@c.us').then((answer) => answer.text())`);
  expect(state).toContain('<bdi>Ben Okafor</bdi></h1>');
});

it('stops cleanly, and has recorded no harm', async () => {
  expect(await inbox.interrupt()).toBe(0);
  expect(harm).toEqual([]);
});

it('is started by npm run example, with phones operated by typing', async () => {
  const main = fileURLToPath(new URL('../../scripts/dist/example.js', import.meta.url));
  const child = spawn(process.execPath, [main, '--port', '0'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const exited = once(child, 'exit');
  const said = (pattern: RegExp) =>
    eventually(() => lines.map((line) => pattern.exec(line)).find((found) => found !== null) ?? fail(pattern));
  const fail = (pattern: RegExp): never => {
    throw new Error(`no line matches ${pattern}: ${lines.join('\n')}`);
  };
  try {
    const [, address = ''] = await said(/^inbox +(http:\S+)/);
    await page.goto(address);
    await Promise.all([page.waitForNavigation(), page.click('form button')]);
    await page.waitForSelector('img.qr');
    child.stdin.write('scan\n');
    await eventually(() => expect(page.url()).toBe(`${address}/`));
    child.stdin.write('Anybody there?\n');
    const chat = await page.waitForSelector(`a[href="/chats/${BEN}@c.us"]`);
    await Promise.all([page.waitForNavigation(), chat?.click()]);
    await untilShown('Anybody there?');
    await write(page, 'Here I am.');
    await submit(page);
    await said(/on Ben's phone: Here I am\./);
  } finally {
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  }
});
