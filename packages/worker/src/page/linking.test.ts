import { type Browser, launch, type Page } from 'puppeteer';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { findBrowser } from '../client/browser.ts';
import { readLinkScreen } from './linking.ts';

const PASSKEY_MS = 600_000;

let browser: Browser;
let page: Page;

beforeAll(async () => {
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND'];
  browser = await launch({ executablePath: findBrowser({ env: process.env }), pipe: true, args });
});
afterAll(() => browser.close());
beforeEach(async () => {
  page = await browser.newPage();
  await page.evaluate('window.chatWeb = { document: "1" }');
  return () => page.close();
});

const stepOf = async (passkeyMs = PASSKEY_MS) => (await page.evaluate(readLinkScreen, passkeyMs)).passkey;
const show = (...testIds: string[]) =>
  page.evaluate(
    `document.body.innerHTML = ${JSON.stringify(testIds.map((id) => `<div data-testid="${id}"></div>`).join(''))}`,
  );

it('each card of the passkey screen is told apart, and its end', async () => {
  expect(await stepOf()).toBeUndefined();
  for (const [card, step] of [
    ['shortcake_passkey_prompt_card', 'passkey'],
    ['shortcake_waiting_for_phone_card', 'phone'],
    ['shortcake_code_matching_card', 'code'],
    ['a card of tomorrow', 'passkey'],
  ] as const) {
    await show('shortcake_passkey_screen', card);
    expect(await stepOf()).toBe(step);
  }
  await show();
  expect(await stepOf()).toBeUndefined();
});

it('a page that is not prepared yet is looked at all the same', async () => {
  await page.evaluate('delete window.chatWeb');
  await show('shortcake_passkey_screen');
  expect(await stepOf()).toBe('passkey');
});

it('the event counts while no screen was ever told apart, and for as long as the network waits', async () => {
  await page.evaluate(`
    const listeners = {};
    const WAWebLinkDeviceEvents = { on: (name, listener) => { listeners[name] = listener; } };
    window.require = () => ({ WAWebLinkDeviceEvents });
    window.ask = () => listeners['link_device_events:passkey_prologue_request']();
  `);
  expect(await stepOf()).toBeUndefined();
  await page.evaluate('ask()');
  expect(await stepOf()).toBe('passkey');
  expect(await stepOf(0)).toBeUndefined();
  await show('shortcake_passkey_screen');
  expect(await stepOf()).toBe('passkey');
  await show();
  expect(await stepOf()).toBeUndefined();
});
