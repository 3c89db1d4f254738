import { afterEach, describe, expect, it } from 'vitest';
import { poll, Tab } from './testing/tab.ts';

const [ada, ben] = ['12025550101', '12025550102'] as const;

let tab: Tab;
afterEach(() => tab[Symbol.asyncDispose]());

const progress = `const { OfflineMessageHandler } = require('WAWebOfflineHandler');`;

describe('the sync', () => {
  it('moves in steps, and does not report 100', async () => {
    tab = await Tab.open({ settings: { syncDelayMs: 900, syncSteps: 3 } });
    await tab.pair(ada);
    const seen = `${progress} const seen = [OfflineMessageHandler.getOfflineDeliveryProgress()];
      const { Cmd } = require('WAWebCmd');
      Cmd.on('offline_progress_update_from_bridge', () => seen.push(OfflineMessageHandler.getOfflineDeliveryProgress()));
      await new Promise((resolve) => require('WAWebSocketModel').Socket.on('change:hasSynced', resolve));
      return [seen.map(Math.round), OfflineMessageHandler.isResumeComplete()]`;
    const [steps, isComplete] = await tab.run<[number[], boolean]>(seen);
    expect([steps.slice(-3), isComplete]).toEqual([[33, 67, 99], true]);
  });

  it('of a device that has never synced may stall, until the page logs itself out', async () => {
    tab = await Tab.open({ settings: { syncSteps: 10, syncStallAt: 42, firstSyncMs: 1_500 } });
    await tab.pair(ada);
    const read = `${progress} return OfflineMessageHandler.getOfflineDeliveryProgress()`;
    await poll(() => tab.run(read)).toBe(42);
    expect(await tab.look()).toMatchObject({ hasSynced: false });
    await poll(() => tab.page.url()).toContain('post_logout=1&logout_reason=2');
    expect((await tab.phones.account(ada)).devices).toEqual([]);
    await tab.phones.configure({ syncStallAt: null });
    await tab.link(ada);
    await tab.phones.configure({ syncStallAt: 42 });
    await tab.page.reload();
    await tab.untilSynced();
  });
});

it('a newly linked page reloads itself once', async () => {
  tab = await Tab.open({ settings: { reloadAfterLinkMs: 800 } });
  await tab.run(`window.isFirst = true`);
  await tab.link(ada);
  await poll(() => tab.run(`return window.isFirst ?? false`).catch(() => undefined)).toBe(false);
  await tab.untilSynced();
  await tab.run(`window.isFirst = true`);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await tab.run(`return window.isFirst`)).toBe(true);
});

it('the module loader is installed some time after the document has loaded', async () => {
  tab = await Tab.open({ settings: { loadDelayMs: 800 } });
  expect(await tab.run(`return [typeof window.require, typeof window.Debug]`)).toEqual(['undefined', 'undefined']);
  await poll(() => tab.run(`return typeof window.require`)).toBe('function');
  await tab.link(ada);
});

/** The visible fields of the error for a refused code. */
const refusal = (name: string, text: string, code: number) => ({
  name: 'CompanionHelloError',
  message: '',
  type: { name, value: { text, code } },
});

describe('linking by code', () => {
  const request = `const api = require('WAWebAltDeviceLinkingApi'); api.setPairingType('ALT_DEVICE_LINKING');
    await api.initializeAltDeviceLinking(); return await api.startAltLinkingFlow(a[0], true)`;

  it('needs the owner to type it, and unlinks existing devices', async () => {
    tab = await Tab.open();
    await poll(async () => (await tab.look())?.qr).toBeDefined();
    const code = await tab.run<string>(request, ada);
    expect(code).toMatch(/^[1-9A-Z]{8}$/);
    await expect(tab.phones.pair(ben, code)).rejects.toThrow(`code: no page shows ${code} to ${ben}`);
    await tab.phones.pair(ada, `${code.slice(0, 4)}-${code.slice(4)}`);
    await tab.untilSynced();
    expect((await tab.phones.account(ada)).devices).toHaveLength(1);
  });

  it('is refused for an unknown number, after too many codes, and if the network is set to refuse', async () => {
    tab = await Tab.open({ settings: { codeLimit: 1 } });
    await poll(async () => (await tab.look())?.qr).toBeDefined();
    expect(await tab.fail(request, '12025550199')).toMatchObject(refusal('IQErrorBadRequest', 'bad-request', 400));
    expect(await tab.run(request, ada)).toMatch(/^[1-9A-Z]{8}$/);
    const tooMany = refusal('IQErrorRateOverlimit', 'rate-overlimit', 429);
    expect(await tab.fail(request, ada)).toMatchObject(tooMany);
    await tab.phones.refuseCodes(ben, 452);
    const notHere = refusal('IQErrorFeatureNotAvailable', 'feature-not-available', 452);
    expect(await tab.fail(request, ben)).toMatchObject(notHere);
    expect(await tab.run(`try { ${request} } catch (error) { return error instanceof Error }`, ben)).toBe(true);
  });

  it('needs a new initialization for each code', async () => {
    tab = await Tab.open();
    await poll(async () => (await tab.look())?.qr).toBeDefined();
    await tab.run(request, ada);
    const again = `return require('WAWebAltDeviceLinkingApi').startAltLinkingFlow(a[0], true)`;
    expect(await tab.fail(again, ada)).toMatchObject({ message: expect.stringContaining('Minified invariant') });
  });
});

it('a dialog may log the device out, by its button or by Escape', async () => {
  tab = await Tab.linked(ada, { build: '2026-04', settings: { whatsNewAt: 'synced' } });
  const id = (await tab.look())?.id ?? '';
  await tab.phones.disturb(id, 'dialog', { which: 'stuck' });
  await tab.page.click('[data-testid=popup-controls-ok]');
  expect(await tab.page.$$('[role=dialog] [data-testid=popup-controls-ok]')).toHaveLength(1);
  await tab.phones.disturb(id, 'dialog', { which: 'log-out' });
  await tab.page.keyboard.press('Escape');
  await poll(async () => (await tab.phones.account(ada)).devices).toEqual([]);
});
