import type { Page } from 'puppeteer';
import { type PageLevels, readLevels } from '../page/session.ts';
import { wasNavigated } from './page-errors.ts';

/**
 * True if an error says no more than that the document which was looked at before has been replaced. Then the call may
 * also have met the next one, which was not loaded yet and lacked what the one before had. Never rejects.
 */
export async function wasReplaced(page: Page, before: PageLevels | undefined, error: unknown): Promise<boolean> {
  if (wasNavigated(error)) return true;
  try {
    return before !== undefined && before.document !== (await page.evaluate(readLevels)).document;
  } catch (again) {
    return wasNavigated(again);
  }
}
