import { errorText } from '@chat-web/protocol';

/** Patterns of puppeteer's error messages: its errors have no codes. */
const NAVIGATED =
  /context was destroyed|Cannot find (default execution )?context|detached|Target closed|Session closed|Inspected target/i;
const LOST = /closed|detached|destroyed|timed out/i;
const TIMED_OUT = /timed out/i;

/** True if the document was replaced or closed during the call. */
export function wasNavigated(error: unknown): boolean {
  return NAVIGATED.test(errorText(error));
}

/** True if the page is gone, or does not answer. */
export function wasLost(error: unknown): boolean {
  return LOST.test(errorText(error));
}

/** True if the page did not answer in time. */
export function timedOut(error: unknown): boolean {
  return TIMED_OUT.test(errorText(error));
}
