import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSimulator } from '@chat-web/simulator';
import { ADA, BEN, CARLA, DEV, eventually, GRACE } from '@chat-web/testing';
import { ConsolePage, expectFit, openBrowser, watchHarm } from '@chat-web/testing/browser';
import { sharedFolder } from '@chat-web/testing/hooks';
import { sharedStack } from '@chat-web/testing/story';
import type { Browser, Page } from 'puppeteer';
import { beforeAll, expect, it } from 'vitest';

/** A stranger who sends hostile messages. */
const EVE = '12025550999';
const HOSTILE_NAME = `"><img src=x onerror=harmed('name')>'&lt;`;
const HOSTILE_BODIES = [
  "<script>harmed('script')</script>",
  `"><img src="http://attacker.lan/x" onerror="harmed('img')">`,
  "</textarea></ol><svg onload=harmed('svg')>",
  "<a href=\"javascript:harmed('link')\">look</a> javascript:harmed('text')",
  '<style>*{display:none}</style><meta http-equiv=refresh content="0;url=http://attacker.lan">',
  "{{constructor.constructor('harmed(1)')()}}",
  `\u202eright to left\u202c ${'Z\u0351\u0352\u0357'.repeat(50)}`,
  'a'.repeat(3_000),
];

const stack = sharedStack();
const folder = sharedFolder();
let browser: Browser;
let page: Page;
/** What hostile messages were able to run, and what the policy blocked. */
let harm: readonly string[];

const url = (fragment = '') => `${stack.simulator.controlUrl}/${fragment}`;
const textOf = (selector: string) => page.$eval(selector, ({ textContent }) => textContent ?? '');
const untilText = (selector: string, text: string | RegExp) =>
  eventually(async () => expect(await textOf(selector)).toMatch(text));
const bodies = () => page.$$eval('.messages .body', (all) => all.map(({ textContent }) => textContent));
const untilBody = (body: string) => eventually(async () => expect(await bodies()).toContain(body));
/** A button or a link by a part of its text. */
const named = async (element: 'button' | 'a', text: string) => {
  const found = await page.waitForSelector(`::-p-xpath(//${element}[contains(., "${text}")])`, { visible: true });
  if (!found) throw new Error(`there is no ${element} ${text}`);
  return found;
};
const press = async (text: string) => (await named('button', text)).click();
const choose = async (file: string) => {
  const input = await page.$('input[type=file]');
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file);
};
const open = async (fragment: string, selector: string) => {
  await page.goto(url(fragment));
  await page.reload();
  await page.waitForSelector(selector);
};

/** `PHONES_SCREENSHOTS=<folder>` saves screenshots. */
const look = (name: string) => expectFit(page, name, process.env.PHONES_SCREENSHOTS);

beforeAll(async () => {
  browser = await openBrowser(['attacker.lan']);
  page = await browser.newPage();
  harm = await watchHarm(page);
  return () => browser.close();
});

it('links a session by a click on Scan', async () => {
  await page.goto(url());
  await page.waitForSelector('.phones .list a');
  expect(await textOf('.phones')).toContain('Ada Marsh');
  await look('phones');
  await (await named('a', 'Ada Marsh')).click();
  await page.waitForSelector('.chats .row');
  await look('no-chats');
  await page.click('.chats .row');
  await untilText('.detail', 'No page shows a QR');
  await look('no-devices');

  await stack.client.startSession({ id: 'main' });
  await page.waitForSelector('.card .qr');
  await eventually(async () => {
    expect(await page.evaluate("document.querySelector('.card .qr').naturalWidth")).toBeGreaterThan(0);
  });
  await look('qr');
  await press('Scan');
  await stack.untilStatus('main', 'ready');
  await untilText('.detail', 'Online');
  expect(await textOf('.detail [role=status]')).toContain('The page is linked');
  expect(await page.$('.card .qr')).toBeNull();
  expect(await textOf('.phones .list [aria-current]')).toContain('linked');
  await look('linked');
});

it('writes what the gateway reads, and reads what the gateway writes', async () => {
  const events = await stack.listen('main');
  await open(`#/${BEN}`, '#new-chat');
  await page.type('#new-chat', '+1 (202) 555-0101');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.composer textarea');
  expect(await textOf('#chat')).toContain('Ada Marsh');
  await look('empty-chat');
  await page.type('.composer textarea', 'Is the table still there?');
  await page.keyboard.press('Enter');
  await untilBody('Is the table still there?');
  const { id } = await events.until('message', ({ body }) => body === 'Is the table still there?');
  await untilText('.mine .ticks', 'delivered');

  const sent = await stack.client.sendMessage({
    id: 'main',
    type: 'text',
    to: `+${BEN}`,
    body: 'Yes, it is.',
    quotedMessageId: id,
  });
  await untilBody('Yes, it is.');
  expect(await textOf('blockquote')).toContain('Is the table still there?');
  // An open chat is marked as read.
  await events.until('message_ack', (ack) => ack.id === sent.id && ack.ack === 3);
});

it('sends a file with a caption, and shows files, quotes, reactions, changes and a group', async () => {
  const file = join(folder, 'a plan.txt');
  await writeFile(file, 'first this, then that');
  await open(`#/${BEN}/chats/${ADA}@c.us`, '.composer');
  await choose(file);
  await untilText('.chosen', 'a plan.txt');
  await page.type('.composer textarea', 'The plan');
  await press('Send');
  await untilText('.kind', /Document.*a plan\.txt.*21 B/);
  const [sent] = (await stack.phones.messages(ADA)).filter(({ filename }) => filename === 'a plan.txt');
  expect(sent).toMatchObject({ type: 'document', body: 'The plan', mimeType: 'text/plain', size: 21 });

  const { phones } = stack;
  await phones.react(ADA, { messageId: sent?.id ?? '', emoji: '👍' });
  await untilText('.reactions', '👍');
  const wrong = await phones.send(ADA, { to: BEN, body: 'At nin' });
  await phones.edit(ADA, wrong.id, 'At nine');
  await untilBody('At nine');
  const revoked = await phones.send(ADA, { to: BEN, body: 'Not that' });
  await untilBody('Not that');
  await phones.revoke(ADA, revoked.id);
  await untilText('.messages', 'This message was deleted');
  await phones.send(ADA, {
    to: BEN,
    body: 'A picture',
    quotedMessageId: sent?.id ?? '',
    media: { kind: 'image', base64: 'aGVsbG8=', mimeType: 'image/png' },
  });
  await untilText('.messages', /Document, a plan\.txt, The plan/);
  await look('chat');

  const { id } = await phones.createGroup(ADA, { subject: 'Furniture', participants: [BEN, CARLA] });
  for (const from of [CARLA, ADA]) await phones.send(from, { to: id, body: `from ${from}` });
  await (await named('a', 'Furniture')).click();
  await untilBody(`from ${CARLA}`);
  expect(await textOf('.author')).toBe('Carla Ruiz');
  await page.type('.composer textarea', 'and from Ben');
  await press('Send');
  await untilBody('and from Ben');
  await look('group');
});

it('refuses files that are too large or empty, and keeps what was not sent', async () => {
  await open(`#/${BEN}/chats/${ADA}@c.us`, '.composer');
  for (const [name, bytes, sentence] of [
    ['empty.txt', 0, 'empty.txt is empty'],
    ['large.bin', 16_000_001, 'large.bin is larger than 16.0 MB'],
  ] as const) {
    await writeFile(join(folder, name), Buffer.alloc(bytes));
    await choose(join(folder, name));
    await untilText('.composer .problem', sentence);
  }
  await stack.phones.setOnline(BEN, false);
  await untilText('.detail > .notice', 'This phone is off');
  await look('off');
  await stack.phones.setOnline(BEN, true);
  await page.waitForSelector('.composer textarea');
  await page.type('.composer textarea', 'half a sent');
  await page.click('.chats .row');
  await untilText('.detail h2', 'Linked devices');
  await page.goBack();
  await page.waitForSelector('.composer textarea');
  expect(await page.evaluate("document.querySelector('.composer textarea').value")).toBe('half a sent');
});

it('is the other side of the console: a newcomer plays both', async () => {
  await using seen = await ConsolePage.open(stack.gateway);
  await seen.press('New session');
  await seen.fill('Id', 'newcomer');
  await seen.press('Start');
  await seen.untilShown('To be linked');
  await page.bringToFront();
  await open(`#/${GRACE}/devices`, '.card .qr');
  await press('Scan');
  await untilText('.detail', 'Online');
  await seen.untilShown(/\nReady\n/);
  await seen.untilShown(GRACE);
  await stack.client.deleteSession({ id: 'newcomer' });
});

it('links by a code that is typed into the phone it was asked for', async () => {
  await stack.client.startSession({ id: 'coded' });
  const { code } = await stack.client.requestPairingCode({ id: 'coded', phoneNumber: `+${CARLA}` });
  await open(`#/${BEN}/devices`, '.card');
  await untilText('.cards', 'It waits for the phone of +12025550103');
  await page.click('.cards a');
  await page.waitForSelector('input.code');
  await look('code');
  await page.type('input.code', 'WRONG123');
  await press('Link');
  await untilText('.problem', `No page shows WRONG123 to ${CARLA}.`);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Link');
  await page.click('input.code', { clickCount: 3 });
  await page.type('input.code', code.toLowerCase());
  await page.keyboard.press('Enter');
  await stack.untilStatus('coded', 'ready');
  await untilText('.detail', 'The code is right');
});

it('says what a passkey needs, and unlinks a device', async () => {
  await stack.client.startSession({ id: 'keyed' });
  await open(`#/${DEV}/devices`, '.card .qr');
  await page.click('.check input');
  await untilText('.detail', 'This account requires a passkey');
  await press('Scan');
  await untilText('.card', /It asks for the passkey.*chat-web link/);
  await eventually(async () => {
    expect((await stack.client.getSessionStatus({ id: 'keyed' })).reason).toBe('PASSKEY_REQUIRED');
  });
  await look('passkey');
  await page.click('.check input');
  await eventually(async () => expect((await stack.phones.account(DEV)).passkey).toBe(false));
  await stack.client.deleteSession({ id: 'keyed' });

  const events = await stack.listen('coded');
  await (await named('a', 'Carla Ruiz')).click();
  await untilText('.chats h2', 'Carla');
  await page.click('.chats .row');
  await press('Unlink');
  await untilText('.detail', 'Unlinked. Its session ends.');
  await events.until('disconnected', ({ reason }) => reason === 'LOGOUT');
});

it('runs nothing in hostile messages', async () => {
  const { phones } = stack;
  await phones.addAccount({ number: EVE, name: HOSTILE_NAME });
  const group = await phones.createGroup(EVE, { subject: HOSTILE_NAME, participants: [BEN] });
  for (const to of [BEN, group.id]) {
    for (const body of HOSTILE_BODIES) await phones.send(EVE, { to, body });
    const media = { kind: 'document', base64: 'aGVsbG8=', mimeType: 'text/html' } as const;
    await phones.send(EVE, { to, media: { ...media, filename: `${HOSTILE_NAME}.html` } });
    const { id } = await phones.send(EVE, { to, body: HOSTILE_BODIES[1] ?? '' });
    await phones.react(EVE, { messageId: id, emoji: HOSTILE_NAME });
    await phones.send(EVE, { to, body: 'the last one', quotedMessageId: id });
  }
  for (const chat of [`${EVE}@c.us`, group.id]) {
    await open(`#/${BEN}/chats/${chat}`, '.composer');
    await untilBody('the last one');
    expect(await bodies()).toEqual(expect.arrayContaining(HOSTILE_BODIES));
    expect(await textOf('#chat')).toContain(HOSTILE_NAME);
    await look(`hostile-${chat.endsWith('@g.us') ? 'group' : 'chat'}`);
  }
  await open(`#/${EVE}/devices`, '.scroller');
  await look('hostile-devices');
  for (const number of [EVE, '%E0%A4%A', "<img src=x onerror=harmed('hash')>", '../../etc', '__proto__']) {
    await open(`#/${number}/chats/${encodeURIComponent(HOSTILE_NAME)}`, '.columns h2');
    await eventually(async () => expect(await page.$('.hint, .middle')).not.toBeNull());
  }
  await look('no-such-phone');
  await open(`#/${BEN}/chats/12025550198@c.us`, '.middle');
  await untilText('.middle', '12025550198 is not registered.');
  await look('no-such-number');
  expect(harm).toEqual([]);
});

it('gives other web pages no access', async () => {
  const other = await startSimulator();
  const foreign = await browser.newPage();
  try {
    // A page of another simulator, from whose origin requests go to the first one.
    await foreign.goto(`${other.controlUrl}/accounts`);
    await foreign.setBypassCSP(true);
    await foreign.reload();
    const attempt = (path: string, init: object) =>
      foreign.evaluate(
        `fetch(${JSON.stringify(url(path))}, ${JSON.stringify(init)}).then((answer) => answer.text(), String)`,
      );
    const body = JSON.stringify({ to: ADA, body: 'not mine' });
    for (const init of [{}, { method: 'POST', body }, { method: 'POST', body, mode: 'no-cors' }])
      expect(['TypeError: Failed to fetch', '']).toContain(await attempt(`accounts/${BEN}/messages`, init));
    const framed = `new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.onload = () => resolve(frame.contentWindow.length);
      frame.src = ${JSON.stringify(url())};
      document.body.append(frame);
    })`;
    await foreign.evaluate(framed);
    await eventually(() => expect(foreign.frames()[1]?.url()).toContain('chrome-error://'));
    expect((await stack.phones.messages(ADA)).map(({ body }) => body)).not.toContain('not mine');
  } finally {
    await foreign.close();
    await other.close();
  }
});

it('has recorded no harm', () => {
  expect(harm).toEqual([]);
});
