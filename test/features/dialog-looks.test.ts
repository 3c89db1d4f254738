import { fileURLToPath } from 'node:url';
import { pace } from '@chat-web/testing';
import { openBrowser } from '@chat-web/testing/browser';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished } from 'vitest';

const INTERVAL_MS = 100;
const DIALOGS = fileURLToPath(new URL('../../packages/worker/dist/page/dialogs.js', import.meta.url));

it('a page is checked for dialogs while one is open or after it has changed, and stays idle otherwise', async () => {
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(`
    const { querySelectorAll } = Document.prototype;
    window.looks = 0;
    Document.prototype.querySelectorAll = function (selector) {
      if (selector === '[role="dialog"]') window.looks += 1;
      return querySelectorAll.call(this, selector);
    };
  `);
  // This part of the page program, with shorter intervals.
  const bundle = await rolldown({ input: DIALOGS });
  const { output } = await bundle.generate({ format: 'iife', name: 'dialogs' });
  await page.evaluateOnNewDocument(`${output[0].code}
    window.dialogs = dialogs;
    dialogs.closeDialogs(${INTERVAL_MS}, ${3 * INTERVAL_MS});
  `);
  await page.goto('data:text/html,<h1>Chats</h1>');
  const looks = () => page.evaluate('window.looks') as Promise<number>;
  const reported = () => page.evaluate('dialogs.openDialogs()') as Promise<string[]>;
  const looksIn = async (intervals: number) => {
    const before = await looks();
    await pace(intervals * INTERVAL_MS);
    return (await looks()) - before;
  };
  await expect.poll(() => looksIn(10)).toBe(0);
  expect(await looks()).toBeGreaterThan(0);

  await page.evaluate(`
    const element = document.createElement('div');
    element.textContent = 'Storage is full';
    document.body.append(element);
  `);
  await expect.poll(() => looksIn(10)).toBe(0);
  await page.evaluate(`document.body.lastChild.setAttribute('role', 'dialog')`);
  await expect.poll(reported).toEqual([expect.stringContaining('Storage is full')]);
  expect(await looksIn(20)).toBeGreaterThan(3);

  await page.evaluate('document.body.lastChild.remove()');
  await expect.poll(reported).toEqual([]);
  await expect.poll(() => looksIn(10)).toBe(0);
});
