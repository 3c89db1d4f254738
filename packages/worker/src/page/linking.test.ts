import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bareBrowser } from '../testing/bare-browser.ts';
import { readLinkScreen, requestCode, returnToQr } from './linking.ts';

const PASSKEY_MS = 600_000;

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await bareBrowser();
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

it('recognises each card of the passkey screen, and its end', async () => {
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

it('also reads a page that is not prepared yet', async () => {
  await page.evaluate('delete window.chatWeb');
  await show('shortcake_passkey_screen');
  expect(await stepOf()).toBe('passkey');
});

it('the event counts only if no screen was ever recognised, and while the network waits', async () => {
  await page.evaluate(`
    const listeners = {};
    const WAWebLinkDeviceEvents = { on: (name, listener) => { listeners[name] = listener; } };
    window.Socket = { state: 'UNPAIRED' };
    window.require = () => ({ WAWebLinkDeviceEvents, Socket });
    window.ask = () => listeners['link_device_events:passkey_prologue_request']();
  `);
  expect(await stepOf()).toBeUndefined();
  await page.evaluate('ask()');
  expect(await stepOf()).toBe('passkey');
  expect(await stepOf(0)).toBeUndefined();
  await page.evaluate("Socket.state = 'CONNECTED'");
  expect(await stepOf()).toBeUndefined();
  await page.evaluate("Socket.state = 'UNPAIRED_IDLE'");
  expect(await stepOf()).toBe('passkey');
  await show('shortcake_passkey_screen');
  expect(await stepOf()).toBe('passkey');
  await show();
  expect(await stepOf()).toBeUndefined();
});

describe('a pairing code', () => {
  const TYPED_MS = 60_000;
  const calls = () => page.evaluate('window.calls');
  const prepare = (state: string, start: string) =>
    page.evaluate(`{
      window.calls = [];
      const called = (name) => async (...args) => { window.calls.push([name, ...args].join(' ')); };
      const listeners = {};
      window.emit = (name) => listeners['link_device_events:' + name]();
      const modules = {
        WAWebSocketModel: { Socket: { state: ${JSON.stringify(state)} } },
        WAWebLinkDeviceEvents: { WAWebLinkDeviceEvents: { on: (name, listener) => { listeners[name] = listener; } } },
        WAWebAltDeviceLinkingApi: {
          setPairingType: called('type'),
          initializeAltDeviceLinking: called('init'),
          initializeQRLinking: called('qr'),
          startAltLinkingFlow: async (...args) => { await called('start')(...args); ${start} },
        },
      };
      window.require = (name) => modules[name];
    }`);
  const request = () => page.evaluate(requestCode, '12025550101', true, TYPED_MS);

  it('is requested as the page itself does', async () => {
    await prepare('UNPAIRED', 'return "ABCD1234";');
    expect(await request()).toEqual({ is: 'code', code: 'ABCD1234' });
    expect(await calls()).toEqual(['init', 'type ALT_DEVICE_LINKING', 'start 12025550101 true']);
  });

  it.each([
    [
      "throw Object.assign(new Error('t'), { name: 'CompanionHelloError', type: { name: 'IQErrorRateOverlimit', value: { code: 429, text: 'rate-overlimit' } } })",
      { name: 'IQErrorRateOverlimit', code: 429 },
    ],
    [
      "throw Object.assign(new Error('t'), { type: { name: 'IQErrorBadRequest', value: { code: '400' } } })",
      { name: 'IQErrorBadRequest', code: 400 },
    ],
    [
      "throw Object.assign(new Error(''), { name: 'ServerStatusCodeError', status: 400 })",
      { name: 'ServerStatusCodeError', code: 400 },
    ],
    ["throw new Error('Minified invariant')", { name: 'Error', code: undefined }],
    ["throw 'auth timeout'", { name: undefined, code: undefined }],
    ['throw undefined', { name: undefined, code: undefined }],
  ])('that is refused has a reason: %s', async (start, why) => {
    await prepare('UNPAIRED', start);
    expect(await request()).toEqual({ is: 'refused', ...why });
  });

  it('is neither requested nor withdrawn on a linked page, or for a minute after one was typed', async () => {
    await prepare('CONNECTED', '');
    expect(await request()).toEqual({ is: 'not_unpaired' });
    await page.evaluate(returnToQr, TYPED_MS);
    await prepare('UNPAIRED', '');
    await stepOf();
    await page.evaluate("emit('primary_hello_received')");
    expect(await request()).toEqual({ is: 'typed' });
    await page.evaluate(returnToQr, TYPED_MS);
    expect(await calls()).toEqual([]);
    await page.evaluate(returnToQr, 0);
    expect(await calls()).toEqual(['qr']);
  });

  it('is not refused if the page is linked meanwhile', async () => {
    await prepare('UNPAIRED', "modules.WAWebSocketModel.Socket.state = 'PAIRING'; throw new Error('t');");
    expect(await request()).toEqual({ is: 'not_unpaired' });
  });

  it('is renewed or ended once for each request of the network', async () => {
    await prepare('UNPAIRED', '');
    const codeOf = async () => (await page.evaluate(readLinkScreen, PASSKEY_MS)).code;
    expect(await codeOf()).toBeUndefined();
    await page.evaluate("emit('refresh_alt_linking_code')");
    expect([await codeOf(), await codeOf()]).toEqual(['renew', undefined]);
    for (const name of ['force_manual_refresh', 'error_alt_linking']) {
      await page.evaluate(`emit('${name}'); emit('refresh_alt_linking_code')`);
      expect([await codeOf(), await codeOf()]).toEqual(['end', undefined]);
    }
  });
});
