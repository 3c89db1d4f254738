import assert from 'node:assert/strict';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'puppeteer';

const WIDTHS = [360, 800, 1280];
/** The widths that axe audits, since it is slow: the width between them shows nothing else. */
const AUDITED = [360, 1280];
const HEIGHT = 900;
const SCHEMES = ['light', 'dark'];
/** Colours may be animated: the checks wait for the end. */
const SETTLED = 'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => {})';
const REPORT_VIOLATIONS =
  "document.addEventListener('securitypolicyviolation', (e) => harmed(e.violatedDirective + ' ' + e.blockedURI))";

/** Records from now on the scripts that hostile content runs in a page, violations of its policy, and its errors. */
export async function watchHarm(page: Page): Promise<readonly string[]> {
  const harm: string[] = [];
  await page.exposeFunction('harmed', (how: string) => void harm.push(how));
  await page.evaluateOnNewDocument(REPORT_VIOLATIONS);
  page.on('pageerror', (error) => harm.push(String(error)));
  return harm;
}

/**
 * Expects that a page needs no horizontal scrolling and that axe finds nothing serious, in light and dark, narrow and
 * wide. Saves screenshots into the folder, if there is one. Leaves the page wide.
 */
export async function expectFit(page: Page, name: string, screenshots: string | undefined): Promise<void> {
  await page.evaluate(axe.source);
  for (const width of WIDTHS)
    for (const scheme of SCHEMES) {
      await page.setViewport({ width, height: HEIGHT });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.evaluate(SETTLED);
      const look = `${name} ${width} ${scheme}`;
      const path = join(screenshots ?? '', `${name}-${width}-${scheme}.png`) as `${string}.png`;
      if (screenshots) await page.screenshot({ path, fullPage: true });
      const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert(((await page.evaluate(tooWide)) as number) <= 0, `${look} is too wide`);
      if (AUDITED.includes(width)) assert.deepEqual(await seriousFindings(page), [], look);
    }
}

async function seriousFindings(page: Page): Promise<unknown[]> {
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]);
}
