import { dropOldest } from '../drop-oldest.ts';
import type { PageMessage } from '../models.ts';
import { signalInOrder } from './changes.ts';
import { isDeliverable, isPending, isUnreadable } from './message-types.ts';
import { messageModel, resolvePeople } from './messages.ts';

/** Reports a message; again once the page has its content. */
type Report = (message: PageMessage) => void;

/** A message is reported without its content after this long: the page's own retries take seconds. */
const CONTENT_MS = 20_000;
/** More than an account receives in that time. */
const MAX_AWAITED = 1_000;

/** Messages without their content, by id; whether they were reported so. */
const awaited = new Map<string, { isReported: boolean }>();

/** Reports an inbound message to the worker, unless no person wrote it. */
export function reportArrival(message: PageMessage): void {
  if (!isDeliverable(message)) return;
  const resolved = resolvePeople(message).catch(() => {});
  // The model is made in turn, so that all messages of a burst use the same id for a person.
  signalInOrder(resolved, () => ({ is: 'message', model: messageModel(message) }));
}

/** Reports a message: at once, or if its content may still come, then or after some seconds; and a later content. */
export function reportOnceReadable(message: PageMessage, report: Report, wasReported = false): void {
  if (!isUnreadable(message)) {
    if (!wasReported) report(message);
    return;
  }
  const id = String(message.id);
  if (awaited.has(id)) return;
  const state = { isReported: wasReported };
  awaited.set(id, state);
  dropOldest(awaited, MAX_AWAITED);
  const reportNow = () => {
    if (state.isReported || awaited.get(id) !== state) return;
    state.isReported = true;
    report(message);
  };
  if (isPending(message)) setTimeout(reportNow, CONTENT_MS);
  else reportNow();
  message.once?.('change:type', (changed) => {
    awaited.delete(id);
    // It may be an unreadable one of another type now.
    if (isUnreadable(changed)) reportOnceReadable(changed, report, state.isReported);
    else report(changed);
  });
}

/** True while a message without its content is not to be reported: `report` is called later. */
export function isAwaited(message: PageMessage, report: Report): boolean {
  if (!isPending(message)) return false;
  reportOnceReadable(message, report);
  return awaited.get(String(message.id))?.isReported !== true;
}
