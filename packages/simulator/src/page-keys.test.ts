import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../dist/index.js';
import { Profile } from './testing/profile.ts';
import { poll } from './testing/tab.ts';

const [ada, ben] = ['12025550101', '12025550102'] as const;

let simulator: Simulator;
let opened: Profile[];

beforeEach(async () => {
  opened = [];
  const settings = { refDelayMs: 0, pairDelayMs: 0, syncDelayMs: 0, ackDelayMs: 0, deliveryDelayMs: 0 };
  simulator = await startSimulator({ settings });
});

afterEach(async () => {
  for (const profile of opened) await profile[Symbol.asyncDispose]();
  await simulator.close();
});

const look = async () => (await simulator.phones.pages())[0];
const account = () => simulator.phones.account(ada);
const keys = async () => (await account()).devices[0]?.keys ?? 0;
const untilReady = () => poll(async () => (await look())?.hasSynced).toBe(true);
const untilUnlinked = () => poll(async () => (await look())?.qr).toBeDefined();

async function linkedProfile(): Promise<Profile> {
  const profile = await Profile.create(simulator);
  opened.push(profile);
  await profile.start();
  await poll(async () => (await look())?.qr).toBeDefined();
  await simulator.phones.scan(ada, (await look())?.qr ?? '');
  await untilReady();
  return profile;
}

it('a copy of a stopped profile replaces it, and the original is unlinked at its next login', async () => {
  const original = await linkedProfile();
  await simulator.phones.send(ben, { to: ada, body: 'before the copy' });
  await poll(keys).toBe(2);
  await original.stop();
  const copy = await original.copy();
  opened.push(copy);
  await copy.start();
  await untilReady();
  await poll(keys).toBe(3);
  await copy.stop();

  await original.start();
  await untilUnlinked();
  expect((await account()).unlinks).toMatchObject([{ cause: 'old_keys' }]);
  await original.stop();
  await copy.start();
  await untilUnlinked();
  expect(await account()).toMatchObject({ devices: [], unlinks: [{ cause: 'old_keys' }] });
});

it('a browser that is killed during traffic, or during its login, stays linked', async () => {
  const profile = await linkedProfile();
  let sent = 0;
  for (const messages of [1, 10, 20, 30, 40, 50]) {
    const before = await keys();
    let isKilled = false;
    const first = sent;
    const sending = (async () => {
      for (; !isKilled; sent += 1) {
        await simulator.phones.send(ben, { to: ada, body: `message ${sent}` });
      }
    })();
    await vi.waitUntil(() => sent >= first + messages, { interval: 1, timeout: 20_000 });
    await profile.kill();
    isKilled = true;
    await sending;
    await profile.start();
    await poll(keys).toBeGreaterThan(before);
  }
  await untilReady();
  expect(await account()).toMatchObject({ devices: [{ online: true }], unlinks: [] });
  const undelivered = async () => (await simulator.phones.messages(ben)).filter(({ ack }) => ack < 2).length;
  await poll(undelivered).toBe(0);
}, 120_000);
