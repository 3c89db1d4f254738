import { afterEach, beforeEach, expect, it } from 'vitest';
import wwebjs from 'whatsapp-web.js';
import { type Simulator, startSimulator } from '../dist/index.js';
import { launchOptions } from './testing/shared-browser.ts';
import { poll } from './testing/tab.ts';

const ada = '12025550101';
const renewalMs = 600;

let simulator: Simulator;
let client: wwebjs.Client;
let codes: string[];

/** The unmodified library, on a page that shows its QR. */
beforeEach(async () => {
  simulator = await startSimulator({ settings: { pairDelayMs: 0 } });
  const puppeteer = launchOptions(simulator.browserArgs) as wwebjs.ClientOptions['puppeteer'];
  client = new wwebjs.Client({ puppeteer, webVersionCache: { type: 'none' } });
  codes = [];
  client.on('code', (code) => codes.push(code));
  const shown = new Promise((resolve) => client.once('qr', resolve));
  await client.initialize();
  await shown;
});

afterEach(async () => {
  await client.destroy();
  await simulator.close();
});

it('the library gets a code and renews it; the last one links', async () => {
  const code = await client.requestPairingCode(ada, true, renewalMs);
  await poll(() => codes.length).toBeGreaterThan(1);
  expect(codes[0]).toBe(code);
  await expect(simulator.phones.pair(ada, code)).rejects.toThrow(`code: no page shows ${code} to ${ada}`);
  const ready = new Promise((resolve) => client.once('ready', resolve));
  // A code may be renewed while it is typed.
  await poll(() => simulator.phones.pair(ada, codes.at(-1) ?? '').catch(() => undefined)).toBeDefined();
  await ready;
  expect(new Set(codes).size).toBe(codes.length);
});

it('the library cancels a code, and its QR can be scanned', async () => {
  const qr = async () => (await simulator.phones.pages())[0]?.qr ?? '';
  await poll(qr).not.toBe('');
  const before = await qr();
  const code = await client.requestPairingCode(ada);
  await client.cancelPairingCode();
  await expect(simulator.phones.pair(ada, code)).rejects.toThrow('code: no page shows');
  const ready = new Promise((resolve) => client.once('ready', resolve));
  await poll(qr).not.toBe(before);
  await simulator.phones.scan(ada, await qr());
  await ready;
});

it('the library reports only a letter of a refusal', async () => {
  for (const code of [400, 403, 429, 452, 500] as const) {
    await simulator.phones.refuseCodes(ada, code);
    await expect(client.requestPairingCode(ada)).rejects.toThrow(/^t$/);
  }
  await expect(client.requestPairingCode('12025550199')).rejects.toThrow(/^t$/);
  await simulator.phones.refuseCodes(ada, null);
  expect(await client.requestPairingCode(ada)).toMatch(/^[1-9A-Z]{8}$/);
});
