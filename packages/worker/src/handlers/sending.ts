import {
  type Attempt,
  GatewayError,
  type MediaSource,
  type Message,
  operations,
  STATUS_FEED,
} from '@chat-web/protocol';
import { unconfirmed } from '../client/page-access.ts';
import type { HandlerContext, PageCalls, SendLimits } from '../client/port.ts';
import { toAck, toMessage } from '../client/resources.ts';
import { type MediaKind, type OutgoingMedia, withMedia } from '../media/outgoing-media.ts';
import { withVoiceNote } from '../media/voice-note.ts';
import { makeSticker } from '../page/media.ts';
import { checkSend, readSent, type SendAnswer, sendMessage } from '../page/messages.ts';
import { postMediaStatus } from '../page/status-feed.ts';
import type { Posted, SendRefusal } from '../page/window.ts';
import { contentOf, type Mentioning, mentionsOf, type PlainInput } from './contents.ts';
import { TimeBudget } from './time-budget.ts';

/** Time limits of the steps of a send; together they stay within the time limit of the operation. */
const CHECK_TIMEOUT_MS = 10_000;
/** Until the page hands over a message that needs no more preparation. */
const BEGIN_TIMEOUT_MS = 10_000;
/** How long loading a file into the browser may take. */
const FILE_TIMEOUT_MS = 20_000;
/** To find a message that may have been sent before. */
const LOOK_TIMEOUT_MS = 10_000;
const STICKER_TIMEOUT_MS = 10_000;
/** To convert audio to a voice note. */
const VOICE_TIMEOUT_MS = 30_000;
const POST_MEDIA_TIMEOUT_MS = 80_000;
const TEXT_TIMEOUT_MS = 27_000;
export const TEXT_ACK_TIMEOUT_MS = 12_000;
/** Files are large, and uplinks slow. */
export const MEDIA_ACK_TIMEOUT_MS = 30_000;
/** Reserved for the send itself during its preparation. */
const LEAST_SEND_MS = 10_000;

/** Media to send. */
interface MediaInput extends MediaSource, Mentioning {
  readonly type: MediaKind;
  readonly to: string;
  readonly quotedMessageId?: string | undefined;
  readonly voice?: boolean | undefined;
  readonly gif?: boolean | undefined;
  readonly viewOnce?: boolean | undefined;
}

/** Sends a message without a file, and answers when the network has it. */
export async function sendPlain(page: PageCalls, input: PlainInput, attempt?: Attempt): Promise<Message> {
  const budget = new TimeBudget(operations.sendMessage.timeoutMs);
  return once(page, input.to, attempt, budget, () => sendPlainNow(page, input, budget, attempt));
}

/** Sends media, and answers when the network has them. */
export async function sendMedia(context: HandlerContext, input: MediaInput, attempt?: Attempt): Promise<Message> {
  const budget = new TimeBudget(operations.sendMessage.timeoutMs);
  return once(context.page, input.to, attempt, budget, () => sendMediaNow(context, input, budget, attempt));
}

/** Sends a message, unless the page shows that it was sent before: then returns the outcome of that send. */
export async function once(
  page: PageCalls,
  to: string,
  attempt: Attempt | undefined,
  budget: TimeBudget,
  send: () => Promise<Message>,
): Promise<Message> {
  const { messageId, isRepeat } = attempt ?? {};
  if (messageId === undefined || !isRepeat) return send();
  const lookMs = budget.step(LOOK_TIMEOUT_MS + TEXT_ACK_TIMEOUT_MS);
  const before = await page.read(lookMs, readSent, messageId, to, TEXT_ACK_TIMEOUT_MS);
  return before ? confirmed(page, before) : send();
}

async function sendPlainNow(
  page: PageCalls,
  input: PlainInput,
  budget: TimeBudget,
  attempt: Attempt | undefined,
): Promise<Message> {
  const { to, quotedMessageId } = input;
  const content = contentOf(input);
  // A text is sent unchanged, even if it looks like a contact card.
  const options = { ...content.options, parseVCards: false, quotedMessageId, ignoreQuoteErrors: false };
  const send = (isChecked: boolean) =>
    page.send(
      limitsOf(budget.step(TEXT_TIMEOUT_MS), TEXT_ACK_TIMEOUT_MS, attempt),
      ...([sendMessage, isChecked, to, content.text, options] as const),
    );
  const first = await send(false);
  if (first !== 'unchecked') return confirmed(page, first);
  await check(page, to, quotedMessageId, budget);
  return confirmed(page, await send(true));
}

async function sendMediaNow(
  context: HandlerContext,
  input: MediaInput,
  budget: TimeBudget,
  attempt: Attempt | undefined,
): Promise<Message> {
  const { page } = context;
  const { type, to, quotedMessageId, voice, gif, viewOnce } = input;
  // The network has no caption for these: it would only be in the answer.
  const caption = type === 'audio' || type === 'sticker' ? undefined : input.caption;
  if (to !== STATUS_FEED) await check(page, to, quotedMessageId, budget);
  const fetchMs = budget.step(context.fetchLimits.timeoutMs, FILE_TIMEOUT_MS + LEAST_SEND_MS);
  const sendFile = ({ path, mimeType, filename }: OutgoingMedia) =>
    page.withFile(budget.step(FILE_TIMEOUT_MS, LEAST_SEND_MS), path, async (key) => {
      if (to === STATUS_FEED) {
        const file = { data: key, mimetype: mimeType, filename };
        const timeoutMs = budget.step(POST_MEDIA_TIMEOUT_MS);
        return accepted(await page.change(timeoutMs, postMediaStatus, file, caption, attempt?.messageId));
      }
      const isSticker = type === 'sticker';
      if (isSticker && mimeType !== 'image/webp') await prepareSticker(page, key, budget);
      const media = { data: key, mimetype: isSticker ? 'image/webp' : mimeType, filename };
      const options = {
        media,
        caption,
        isCaptionByUser: Boolean(caption),
        ...mentionsOf(input),
        sendMediaAsSticker: isSticker,
        sendMediaAsDocument: type === 'document',
        sendAudioAsVoice: voice,
        sendVideoAsGif: gif,
        ...(viewOnce ? { isViewOnce: true, fields: { isViewOnce: true } } : {}),
        quotedMessageId,
        ignoreQuoteErrors: false,
      };
      const limits = limitsOf(budget.lastStep(), MEDIA_ACK_TIMEOUT_MS, attempt);
      const sent = confirmed(page, await page.send(limits, sendMessage, true, to, '', options));
      return type === 'document' ? { ...sent, mimeType, filename } : sent;
    });
  return withMedia(type, input, fetchMs, context, (media) => {
    if (!voice) return sendFile(media);
    return withVoiceNote(media, budget.step(VOICE_TIMEOUT_MS, FILE_TIMEOUT_MS + LEAST_SEND_MS), context, sendFile);
  });
}

async function prepareSticker(page: PageCalls, key: string, budget: TimeBudget): Promise<void> {
  const isMade = await page.read(budget.step(STICKER_TIMEOUT_MS), makeSticker, key).catch(() => false);
  if (!isMade) throw new GatewayError('client_failed', 'converting the image to a sticker failed; nothing was sent');
}

/** The error of a check before a send: nothing has been sent yet, which `session_lost` would not say. */
export function rethrowUnsent(error: unknown): never {
  if (!(error instanceof GatewayError) || error.code !== 'session_lost') throw error;
  throw new GatewayError('client_failed', `nothing was sent: ${error.message}`);
}

/** Rejects a message that cannot be sent, before anything is sent. */
export async function check(
  page: PageCalls,
  to: string,
  quotedMessageId: string | undefined,
  budget: TimeBudget,
): Promise<void> {
  const timeoutMs = budget.step(CHECK_TIMEOUT_MS);
  const finding = await page.read(timeoutMs, checkSend, to, quotedMessageId).catch(rethrowUnsent);
  switch (finding) {
    case 'ok':
      return;
    case 'no_recipient':
      throw new GatewayError('recipient_not_found', 'the recipient is not registered on the network');
    case 'blocked':
      throw new GatewayError('not_permitted', 'the account has blocked the recipient');
    case 'no_chat':
      throw new GatewayError('chat_not_found', 'the group or broadcast list is unknown to this account');
    case 'no_quoted_message':
      throw new GatewayError('message_not_found', 'the message to quote is unknown to this account');
    case 'not_quotable':
      throw new GatewayError('not_permitted', 'the message to quote cannot be replied to');
    default:
      throw refusedBy(finding.refused, 'client_failed');
  }
}

/**
 * The minimum duration of a limit, in seconds by the network's code: the network does not say, and each attempt counts.
 */
const LIMIT_SECONDS = new Map([
  [429, 60],
  /** The account wrote to too many strangers, and may not write to new people for one or more days. */
  [463, 86_400],
  /** The account has reached its monthly limit of new people. */
  [475, 86_400],
]);

/**
 * The error for a refusal by the network: nothing was changed. A code of 500 or more is no refusal: the page also uses
 * it for its own errors while it sends a request or reads the response, so the request may have taken effect. `failed`
 * is the error code for that.
 */
export function refusedBy(code: number, failed: 'outcome_unknown' | 'client_failed' = 'outcome_unknown'): GatewayError {
  const retryAfterSeconds = LIMIT_SECONDS.get(code);
  if (retryAfterSeconds !== undefined)
    return new GatewayError('rate_limited', `the network limits the rate of this request (code ${code}): retry later`, {
      retryAfterSeconds,
    });
  if (code === 401 || code === 403)
    return new GatewayError('not_permitted', `the network does not permit the request (code ${code})`);
  if (code >= 500) return new GatewayError(failed, `the network failed to answer the request (code ${code})`);
  return new GatewayError('client_failed', `the network refused the request (code ${code}); nothing was changed`);
}

/** The error for a change that the page did not apply, without a reason. */
export function notCarriedOut(): GatewayError {
  return new GatewayError('client_failed', 'the web client did not apply the change; the network may have refused it');
}

/** The error for a send that the page reports as refused, by its name for the reason and the network's code. */
function refusedSend(what: 'message' | 'status', { name, code }: SendRefusal, id?: string): GatewayError {
  const why = [name, code && `code ${code}`].filter(Boolean).join(', ');
  const message = `the network refused the ${what}${why ? ` (${why})` : ''}`;
  const retryAfterSeconds = LIMIT_SECONDS.get(code ?? (name === 'ERROR_RATE_LIMIT' ? 429 : 0));
  return new GatewayError(retryAfterSeconds === undefined ? 'client_failed' : 'rate_limited', message, {
    ...{ retryAfterSeconds, id },
  });
}

/** The limits of a send with this time limit in total. */
export function limitsOf(timeoutMs: number, ackTimeoutMs: number, attempt: Attempt | undefined): SendLimits {
  return { beginMs: Math.min(BEGIN_TIMEOUT_MS, timeoutMs), timeoutMs, ackTimeoutMs, attempt };
}

/** The message once the network has confirmed it; `outcome_unknown` if it has not in time. */
export function confirmed(page: PageCalls, answer: SendAnswer): Message {
  if (answer === 'late' || answer === 'unchecked')
    throw new GatewayError('client_failed', 'nothing was sent: the page was busy for too long');
  if (answer === 'no_choice') {
    const why =
      'nothing was sent: this build of the page does not accept our message id, which an Idempotency-Key needs';
    throw new GatewayError('page_unsupported', why);
  }
  if (!answer?.model)
    throw new GatewayError('outcome_unknown', 'the web client did not report whether the message was sent');
  const sent = readMessage(answer.model);
  // An ack that is not a number is ignored: a message that was sent must not be reported as refused.
  const reported: unknown = answer.state?.ack;
  const ack = typeof reported === 'number' ? Math.trunc(reported) || 0 : 0;
  page.onSent(ack !== 0);
  if (ack > 0) return { ...sent, ack: toAck(ack) };
  if (ack === 0) throw unconfirmed(sent.id);
  throw refusedSend('message', answer.state?.refused ?? {}, sent.id);
}

/** A message posted to the status feed: posting resolves when the network has confirmed it. */
export function accepted(posted: Posted): Message {
  if (!posted) throw new GatewayError('outcome_unknown', 'the web client did not report whether the status was posted');
  if ('refused' in posted) throw refusedSend('status', posted.refused);
  const sent = readMessage(posted.message);
  return sent.ack === 0 ? { ...sent, ack: 1 } : sent;
}

/** A sent or changed message; `outcome_unknown` if the page returned an invalid one. */
export function readMessage(model: unknown): Message {
  try {
    return toMessage(model);
  } catch {
    throw new GatewayError('outcome_unknown', 'the request succeeded, but the web client returned an invalid message');
  }
}
