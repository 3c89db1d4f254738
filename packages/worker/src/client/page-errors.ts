import { errorText } from '@chat-web/protocol';

/** What puppeteer's errors say: they have no codes. */
const NAVIGATED = /context was destroyed|Cannot find context|detached|Target closed|Session closed|Inspected target/i;
const LOST = /closed|detached|destroyed|timed out/i;
const TIMED_OUT = /timed out/i;

/** True for the error of a call whose document was replaced or closed while it ran. */
export function wasNavigated(error: unknown): boolean {
  return NAVIGATED.test(errorText(error));
}

/** True for the error of a call whose page is gone, or no longer answers. */
export function wasLost(error: unknown): boolean {
  return LOST.test(errorText(error));
}

/** True for the error of a call that the page has not answered in time. */
export function timedOut(error: unknown): boolean {
  return TIMED_OUT.test(errorText(error));
}
