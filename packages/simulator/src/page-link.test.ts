import { afterEach, describe, expect, it } from 'vitest';
import { poll, Tab } from './testing/tab.ts';

const ada = '12025550101';

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

it('a dialog may log the device out, by its button or by Escape', async () => {
  tab = await Tab.linked(ada, { build: '2026-04', settings: { whatsNewAt: 'synced', testIds: true } });
  const id = (await tab.look())?.id ?? '';
  await tab.phones.disturb(id, 'dialog', { which: 'stuck' });
  await tab.page.click('[data-testid=popup-controls-ok]');
  expect(await tab.page.$$('[role=dialog] [data-testid=popup-controls-ok]')).toHaveLength(1);
  await tab.phones.disturb(id, 'dialog', { which: 'log-out' });
  await tab.page.keyboard.press('Escape');
  await poll(async () => (await tab.phones.account(ada)).devices).toEqual([]);
});
