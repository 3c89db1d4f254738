import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Journal } from '@chat-web/gateway/tools';
import { ADA, BEN, eventually, figure, hostileTexts, withRoom } from '@chat-web/testing';
import { ConsolePage } from '@chat-web/testing/browser';
import { sharedFolder } from '@chat-web/testing/hooks';
import { sharedStack } from '@chat-web/testing/story';
import type { HTTPRequest } from 'puppeteer';
import { beforeAll, expect, it, vi } from 'vitest';

const TOKEN = 'the-operators-token';
const STORED = 5_000;
/** The CPU time up to which a page does not seem to hang. */
const MAX_TASK_MS = 400;

const dataDir = sharedFolder();
beforeAll(() => storeEvents(join(dataDir, 'journal')));
const stack = sharedStack({ dataDir, settings: { CHAT_WEB_TOKEN: TOKEN } });
let seen: ConsolePage;
beforeAll(async () => {
  await stack.link('main', ADA);
  seen = await ConsolePage.open({ url: stack.gateway.url, token: TOKEN });
  return () => seen[Symbol.asyncDispose]();
});

/** Acks of another session, from two hours ago. */
async function storeEvents(dir: string): Promise<void> {
  const log = { info: () => {}, warn: () => {}, error: console.error };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 2 * 3_600_000 });
  const journal = await Journal.open({ dir, folds: [], maxBytes: 1e9, maxAgeMs: 1e9, log });
  const stored = Array.from({ length: STORED }, (_, number) => {
    const text = JSON.stringify({ id: `true_12025550103@c.us_3EB0${number}`, ack: 1 });
    return journal.append({ kind: 'event', name: 'message_ack', session: 'shop-1', key: '', text });
  });
  await Promise.all(stored);
  await journal.close();
  vi.useRealTimers();
}

const send = (body: string) => stack.phones.send(BEN, { to: ADA, body });
const rows = () => seen.page.$$eval('.events tbody tr', (all) => all.map((row) => row.textContent));
const shownCode = (title: string) =>
  seen.page.$eval(`::-p-aria([name="${title}"][role="region"])`, (region) => region.textContent ?? '');
const choose = (label: string, option: string) =>
  seen.page.$eval(
    `::-p-aria([name="${label}"][role="combobox"])`,
    (select, value) => {
      (select as unknown as { value: string }).value = value;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    },
    option,
  );

it('shows a message as it arrives, and its text only on request', async () => {
  await seen.show('#/events');
  await seen.untilShown(/ready[\s\S]*12025550101 is linked/);
  await send('Good morning');
  await seen.untilShown('text from 12025550102@c.us: 12 characters');
  await seen.press('message');
  await seen.untilShown('"body": "(hidden: 12 characters)"');
  expect(await seen.page.content()).not.toContain('Good morning');
  await seen.expectFit('events-hidden');
  await seen.press('Show contents', 'checkbox');
  await seen.untilShown(/text from 12025550102@c\.us: Good morning[\s\S]*"body": "Good morning"/);
  await seen.expectFit('events-details');
  await seen.page.reload();
  await seen.untilShown('text from 12025550102@c.us: Good morning');
  expect(await seen.page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
});

it('fetches an event again with the command that it shows', async () => {
  await seen.press('message');
  const shown = JSON.parse(await shownCode('The event')) as object;
  const command = await shownCode('Get it again');
  expect(command).not.toContain(TOKEN);
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env: { ...process.env, TOKEN } });
  expect(JSON.parse(stdout)).toMatchObject({ events: [shown] });
  await seen.page.keyboard.press('Escape');
  await eventually(async () => expect(await seen.page.$('.details')).toBeNull());
  expect(await seen.page.evaluate('document.activeElement.textContent')).toBe('message');
});

it('does not change while paused, and loses nothing', async () => {
  await seen.press('Pause');
  const before = await rows();
  for (const body of ['one', 'two', 'three']) await send(body);
  await seen.untilShown('3 events meanwhile');
  expect(await rows()).toEqual(before);
  await seen.press('Resume');
  await seen.untilShown(/three[\s\S]*two[\s\S]*one[\s\S]*Good morning/);
});

it('starts after an event, after a time, or with the oldest stored event', async () => {
  const [second] = await seen.page.$$('::-p-xpath(//tr[contains(., ": two")]//button)');
  await second?.click();
  await seen.press('Begin after it');
  await eventually(async () => expect(await rows()).toEqual([expect.stringContaining('three')]));
  await choose('Begin', 'The oldest stored event');
  await eventually(async () => expect(await rows()).toHaveLength(500));
  await seen.untilShown('The newest 500 are shown');
  await choose('Begin', 'After an event or a time …');
  await seen.fill('Id of an event, or a time', '2040-01-01 00:00');
  await seen.press('Begin there');
  await seen.untilShown('No event matches the filter.');
  await choose('Begin', '5 minutes ago');
  await seen.untilShown(/three[\s\S]*one/);
  await seen.press('Close');
});

it('filters events by name, session and id', async () => {
  await seen.press('None');
  await seen.untilShown('Choose at least one event.');
  await seen.press('message', 'checkbox');
  await eventually(async () => expect(await rows()).toHaveLength(4));
  await seen.fill('Sessions to show', 'shop-*');
  await seen.untilShown('No event matches the filter.');
  await seen.fill('Sessions to show', 'ma*');
  await seen.untilShown('Good morning');
  await seen.fill('Part of an id', 'Good');
  await seen.untilShown('No event matches the filter.');
  await seen.fill('Part of an id', BEN);
  await seen.untilShown('Good morning');
  await seen.fill('Part of an id', '');
  await choose('Begin', 'Now');
  await eventually(async () => expect(await rows()).toEqual([]));
  await send('four');
  await seen.untilShown(': four');
  await seen.press('All');
  await send('five');
  await seen.untilShown(/five[\s\S]*four/);
  expect((await rows()).join()).not.toContain('three');
  await seen.show('#/sessions/main');
  // Content that loads above the link moves it.
  await seen.untilShown(/Memory over the last hour[\s\S]*MB (to|throughout)[\s\S]*Timeline[\s\S]*Starting/);
  await seen.press('All events of main', 'link');
  await seen.untilShown(/ready[\s\S]*12025550101 is linked/);
  expect((await rows()).join()).toContain('status');
});

it('closes its connection while the page is hidden, and misses nothing', async () => {
  const streams = async () => {
    const response = await fetch(`${stack.gateway.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return Number(/^chat_web_streams_open (\d+)$/m.exec(await response.text())?.[1]);
  };
  await seen.untilShown('Live');
  const before = await streams();
  const front = await seen.page.browser().newPage();
  await front.bringToFront();
  await eventually(async () => expect(await streams()).toBe(before - 2));
  for (const body of ['six', 'seven']) await send(body);
  await front.close();
  await seen.page.bringToFront();
  await seen.untilShown(/seven[\s\S]*six[\s\S]*five/);
  const shown = (await rows()).join();
  expect([shown.split(': seven').length, shown.split(': six').length, shown.split(': five').length]).toEqual([2, 2, 2]);
});

it('does not freeze with thousands of events at once', async () => {
  await seen.show('#/events');
  await seen.untilShown('Live');
  await seen.page.tracing.start({ categories: ['disabled-by-default-devtools.timeline'] });
  const startedAt = performance.now();
  await choose('Begin', 'The oldest stored event');
  await eventually(async () => {
    const all = await rows();
    // The first reading of the network's limits may be newer.
    const newest = all.find((row) => !row.startsWith('limits'));
    expect([all.length, newest]).toEqual([500, expect.stringContaining('seven')]);
  });
  const tookMs = performance.now() - startedAt;
  const maxMs = maxTaskMs(await seen.page.tracing.stop());
  figure('console', `${STORED} events in ${Math.round(tookMs)} ms, longest task ${Math.round(maxMs)} ms`);
  expect(maxMs).toBeLessThan(withRoom(MAX_TASK_MS));
});

/** In CPU time: elapsed time depends on the load of the machine. */
function maxTaskMs(trace: Uint8Array = new Uint8Array()): number {
  interface Traced {
    readonly name: string;
    readonly tdur?: number;
  }
  const { traceEvents } = JSON.parse(new TextDecoder().decode(trace)) as { traceEvents: Traced[] };
  const tasks = traceEvents.filter(({ name, tdur }) => name === 'RunTask' && tdur !== undefined);
  expect(tasks.length).toBeGreaterThan(100);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1_000));
}

it('runs nothing in hostile messages', async () => {
  await choose('Begin', '5 minutes ago');
  await seen.untilShown('Good morning');
  for (const body of hostileTexts) await send(body);
  const file = { kind: 'document', base64: 'SGVsbG8=', mimeType: 'text/html' } as const;
  for (const filename of hostileTexts) await stack.phones.send(BEN, { to: ADA, media: { ...file, filename } });
  const count = 8 + 2 * hostileTexts.length;
  await seen.press('None');
  await seen.press('message', 'checkbox');
  await eventually(async () => expect(await rows()).toHaveLength(count));
  for (const button of await seen.page.$$('.events th button')) {
    await button.click();
    await seen.page.locator('.details').wait();
  }
  await seen.untilShown(/<script>harmed/);
  await seen.expectFit('events-hostile');
  expect(await seen.page.$$('.events img, .events iframe, .events script, .events style, .details img')).toEqual([]);
  expect(seen.harm).toEqual([]);
});

it('shows why its stream was refused, and opens it again on request', async () => {
  await seen.show('#/sessions/main');
  await seen.untilShown('All events of main');
  const { page } = seen;
  const refusal = {
    status: 400,
    contentType: 'application/json',
    body: '{"code":"invalid_request","error":"of 2031"}',
  };
  const refuseStreams = (request: HTTPRequest) => {
    const isStream = new URL(request.url()).pathname === '/events';
    void (isStream ? request.respond(refusal) : request.continue());
  };
  await page.setRequestInterception(true);
  page.on('request', refuseStreams);
  await seen.show('#/events');
  await seen.untilShown('of 2031');
  page.off('request', refuseStreams);
  await page.setRequestInterception(false);
  await seen.press('Try again');
  await seen.untilShown('Live');
});

it('would report it if it did', async () => {
  const inject = (html: string) =>
    seen.page.evaluate(`try { document.body.innerHTML = ${JSON.stringify(html)} } catch {}`);
  for (const text of hostileTexts) await inject(text);
  await eventually(async () => expect(seen.harm.length).toBeGreaterThanOrEqual(hostileTexts.length));
});
