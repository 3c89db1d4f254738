import { type Attempt, GatewayError, type Handlers, operations } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';
import { checkForward, forwardMessage, loadForward } from '../page/forwarding.ts';
import { messageNotFound } from './not-found.ts';
import {
  check,
  confirmed,
  limitsOf,
  MEDIA_ACK_TIMEOUT_MS,
  once,
  rethrowUnsent,
  TEXT_ACK_TIMEOUT_MS,
} from './sending.ts';
import { TimeBudget } from './time-budget.ts';

const LOOK_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 60_000;
/** Reserved for the page's answer after its download has timed out. */
const ANSWER_MS = 1_000;
/** Reserved for the send itself. */
const SEND_MS = 40_000;

/** Handler of the operation that forwards a message. */
export function forwardingHandlers({ page }: HandlerContext): Handlers<'forwardMessage'> {
  const load = (messageId: string, budget: TimeBudget) => {
    const timeoutMs = budget.step(DOWNLOAD_TIMEOUT_MS, SEND_MS);
    return page.read(timeoutMs, loadForward, messageId, timeoutMs - ANSWER_MS).catch(rethrowUnsent);
  };
  const forward = async (messageId: string, to: string, budget: TimeBudget, attempt: Attempt | undefined) => {
    // Checks the message first: the check of the recipient may open a chat.
    const seen = await page.read(budget.step(LOOK_TIMEOUT_MS), checkForward, messageId).catch(rethrowUnsent);
    const finding = seen === 'not_loaded' ? await load(messageId, budget) : seen;
    if (isRefusal(finding)) throw refusals[finding]();
    await check(page, to, undefined, budget);
    const ackMs = finding === 'file' ? MEDIA_ACK_TIMEOUT_MS : TEXT_ACK_TIMEOUT_MS;
    const limits = limitsOf(budget.lastStep(), ackMs, attempt);
    const answer = await page.send(limits, forwardMessage, messageId, to);
    if (isRefusal(answer)) throw refusals[answer]();
    return confirmed(page, answer);
  };
  return {
    forwardMessage: ({ messageId, to }, attempt) => {
      const budget = new TimeBudget(operations.forwardMessage.timeoutMs);
      return once(page, to, attempt, budget, () => forward(messageId, to, budget, attempt));
    },
  };
}

/** Why nothing was sent. */
const refusals = {
  no_message: messageNotFound,
  not_forwardable: () => new GatewayError('not_permitted', 'messages of this kind cannot be forwarded'),
  gone: () => new GatewayError('media_not_found', 'the network no longer has the media of that message'),
  not_downloaded: () =>
    new GatewayError('client_failed', 'the page could not download the file in time; nothing was sent'),
  blocked: () => new GatewayError('not_permitted', 'the account has blocked the recipient'),
  not_handed: () => new GatewayError('client_failed', 'the page could not prepare the message; nothing was sent'),
};

function isRefusal(answer: unknown): answer is keyof typeof refusals {
  return typeof answer === 'string' && Object.hasOwn(refusals, answer);
}
