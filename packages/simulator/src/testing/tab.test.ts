import { expect, it } from 'vitest';
import { Tab } from './tab.ts';

const ADA = '12025550101';

it('a tab starts with an empty profile, though its browser was used by others', async () => {
  const kept = `return [document.cookie.includes('is=kept'), 'is' in localStorage]`;
  {
    await using tab = await Tab.open();
    await tab.link(ADA);
    await tab.run(`document.cookie = 'is=kept; max-age=1000'; localStorage.is = 'kept'`);
    expect(await tab.run(kept)).toEqual([true, true]);
    await expect(Tab.open()).rejects.toThrow('close it first');
  }
  await using tab = await Tab.open();
  expect(await tab.run(kept)).toEqual([false, false]);
  expect((await tab.look())?.hasSynced).not.toBe(true);
});

it('a tab gets a new browser if the shared one has crashed', async () => {
  {
    await using tab = await Tab.open();
    const browser = tab.page.browser();
    const gone = new Promise((resolve) => browser.once('disconnected', resolve));
    browser.process()?.kill('SIGKILL');
    await gone;
  }
  await using tab = await Tab.open();
  await tab.link(ADA);
});
