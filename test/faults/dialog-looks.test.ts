import { pace } from '@chat-web/testing';
import { expect, it } from 'vitest';
import { poll, Tab } from '../../packages/simulator/src/testing/tab.ts';
import { closeDialogs } from '../../packages/worker/dist/page/dialogs.js';

const INTERVAL_MS = 100;

it('a page is checked for dialogs while one is open or after it has changed, and stays idle otherwise', async () => {
  await using tab = await Tab.open();
  const { page } = tab;
  await page.evaluateOnNewDocument(`
    const { querySelectorAll } = Document.prototype;
    window.looks = 0;
    window.chatWeb = { document: 'one' };
    Document.prototype.querySelectorAll = function (selector) {
      if (selector === '[role="dialog"]') window.looks += 1;
      return querySelectorAll.call(this, selector);
    };
  `);
  await page.evaluateOnNewDocument(closeDialogs, INTERVAL_MS, 3 * INTERVAL_MS);
  await page.reload({ waitUntil: 'load' });
  const looks = () => page.evaluate('window.looks') as Promise<number>;
  const reported = () => page.evaluate('chatWeb.dialogs') as Promise<string[] | undefined>;
  const looksIn = async (intervals: number) => {
    const before = await looks();
    await pace(intervals * INTERVAL_MS);
    return (await looks()) - before;
  };
  await poll(() => looksIn(10)).toBe(0);
  expect(await looks()).toBeGreaterThan(0);

  await page.evaluate(`
    const element = document.createElement('div');
    element.textContent = 'Storage is full';
    document.body.append(element);
  `);
  await poll(() => looksIn(10)).toBe(0);
  await page.evaluate(`document.body.lastChild.setAttribute('role', 'dialog')`);
  await poll(reported).toEqual([expect.stringContaining('Storage is full')]);
  expect(await looksIn(20)).toBeGreaterThan(3);

  await page.evaluate('document.body.lastChild.remove()');
  await poll(reported).toEqual([]);
  await poll(() => looksIn(10)).toBe(0);
});
