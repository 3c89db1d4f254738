import { GatewayError, invalidRequest, type MediaSource, type Message, STATUS_FEED } from '@chat-web/protocol';
import type { CallTime } from '../call-time.ts';
import { unconfirmed } from '../client/page-access.ts';
import { waitSeconds } from '../client/page-link.ts';
import type { Call, HandlerDependencies, PageCalls, SendLimits } from '../client/port.ts';
import { toAck, toMessage } from '../client/resources.ts';
import { withPlayable } from '../media/conversion.ts';
import type { MediaKind } from '../media/media-types.ts';
import { type OutgoingMedia, withMedia } from '../media/outgoing-media.ts';
import { MAX_STILL_STICKER_BYTES, stickerConversion } from '../media/sticker.ts';
import type { SendAnswer } from '../page/messages.ts';
import type { Posted, SendRefusal } from '../page/models.ts';
import { contentOf, type Mentioning, mentionsOf, type PlainInput } from './contents.ts';

interface MediaInput extends MediaSource, Mentioning {
  readonly type: MediaKind;
  readonly to: string;
  readonly quotedMessageId?: string | undefined;
  readonly markRead?: boolean | undefined;
  readonly voice?: boolean | undefined;
  readonly gif?: boolean | undefined;
  readonly note?: boolean | undefined;
  readonly viewOnce?: boolean | undefined;
}

type CardsInput = Extract<PlainInput, { readonly type: 'contact' }>;

/** Sends a message without a file, and answers when the network has it. */
export function sendPlain(page: PageCalls, input: PlainInput, call: Call): Promise<Message> {
  return once(page, input.to, call, () => sendPlainNow(page, input, call));
}

/** Sends media, and answers when the network has them. */
export function sendMedia(dependencies: HandlerDependencies, input: MediaInput, call: Call): Promise<Message> {
  return once(dependencies.page, input.to, call, () => sendMediaNow(dependencies, input, call));
}

/** Sends a message, unless the page shows that it was sent before: then returns the outcome of that send. */
export async function once(
  page: PageCalls,
  to: string,
  { time, attempt }: Call,
  send: () => Promise<Message>,
): Promise<Message> {
  const { messageId, isRepeat } = attempt ?? {};
  if (messageId === undefined || !isRepeat) return send();
  const ackMs = time.step('textAck');
  const before = await page.read(time.step('check') + ackMs, 'readSent', messageId, to, ackMs);
  return before ? confirmed(page, before) : send();
}

async function sendPlainNow(page: PageCalls, input: PlainInput, call: Call): Promise<Message> {
  const { time } = call;
  const { to, quotedMessageId, markRead } = input;
  const content = contentOf(input.type === 'contact' ? await withNumbers(page, input, time) : input, time);
  // A text is sent unchanged, even if it looks like a contact card.
  const options = { ...content.options, parseVCards: false, quotedMessageId, markRead, ignoreQuoteErrors: false };
  const send = (isChecked: boolean) =>
    page.send(sendLimits(call, time.step('text'), 'textAck'), 'sendMessage', isChecked, to, content.text, options);
  const first = await send(false);
  if (first !== 'unchecked') return confirmed(page, first);
  await check(page, to, quotedMessageId, time);
  return confirmed(page, await send(true));
}

/** Cards with numbers instead of hidden ids: a phone writes to a person by the number in the card. */
async function withNumbers(page: PageCalls, input: CardsInput, time: CallTime): Promise<CardsInput> {
  const hidden = input.contacts.map(({ number }) => number).filter((number) => !isNumber(number));
  if (hidden.length === 0) return input;
  const found = await page.read(time.step('check'), 'numbersOf', hidden).catch(rethrowUnsent);
  const numbers = new Map(hidden.map((id, n) => [id, `${found[n]}@c.us`]));
  const contacts = input.contacts.map((card) => ({ ...card, number: numbers.get(card.number) ?? card.number }));
  const issues = contacts.flatMap(({ number }, n) =>
    isNumber(number)
      ? []
      : [{ path: `contacts.${n}.number`, message: 'is an id whose number is not known: give the number' }],
  );
  if (issues.length > 0) throw invalidRequest(issues);
  return { ...input, contacts };
}

function isNumber(id: string): boolean {
  return /^[1-9]\d{4,14}@c\.us$/.test(id);
}

async function sendMediaNow(dependencies: HandlerDependencies, input: MediaInput, call: Call): Promise<Message> {
  const { page } = dependencies;
  const { time, attempt } = call;
  const { type, to, quotedMessageId, markRead, voice, gif, note, viewOnce } = input;
  // The network has no caption for these: it would only be in the answer.
  const caption = type === 'audio' || type === 'sticker' ? undefined : input.caption;
  if (to !== STATUS_FEED) await check(page, to, quotedMessageId, time);
  const sendFile = (mustConvert: boolean, { path, mimeType, filename }: OutgoingMedia) =>
    page.withFile(time.step('file', 'send'), path, async (key) => {
      if (to === STATUS_FEED) {
        const file = { data: key, mimetype: mimeType, filename };
        const posted = page.change(time.step('fileStatus'), 'postMediaStatus', file, caption, attempt?.messageId);
        return accepted(await posted);
      }
      const isSticker = type === 'sticker';
      if (mustConvert) await prepareSticker(page, key, time);
      const media = { data: key, mimetype: isSticker ? 'image/webp' : mimeType, filename, note };
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
        markRead,
        ignoreQuoteErrors: false,
      };
      const limits = sendLimits(call, time.rest(), 'fileAck');
      const sent = confirmed(page, await page.send(limits, 'sendMessage', true, to, '', options));
      return type === 'document' ? { ...sent, mimeType, filename } : sent;
    });
  return withMedia(type, input, time.rest('file', 'send'), dependencies, async (media) => {
    const conversion = type === 'sticker' ? await stickerConversion(media) : 'none';
    const shape = { kind: type, voice, gif, note, isAnimated: conversion === 'animation' };
    const timeoutMs = () => time.step('conversion', 'file', 'send');
    return withPlayable(shape, media, timeoutMs, dependencies, (playable) =>
      sendFile(conversion === 'still', playable),
    );
  });
}

async function prepareSticker(page: PageCalls, key: string, time: CallTime): Promise<void> {
  const isMade = await page
    .read(time.step('sticker'), 'makeSticker', key, MAX_STILL_STICKER_BYTES)
    .catch(rethrowUnsent);
  if (!isMade)
    throw new GatewayError('media_unavailable', 'the browser cannot read the file as an image; nothing was sent');
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
  time: CallTime,
): Promise<void> {
  await page.read(time.step('check'), 'checkSend', to, quotedMessageId).catch(rethrowUnsent);
}

/** The error for a send that the page reports as refused, by its name for the reason and the network's code. */
function refusedSend(
  what: 'message' | 'status',
  { name, code, retryAfterSeconds: seconds }: SendRefusal,
  id?: string,
): GatewayError {
  const retryAfterSeconds = waitSeconds(seconds);
  const why = [name, code && `code ${code}`].filter(Boolean).join(', ');
  const hint = why ? ` (${why})` : '';
  // The page could not upload the media, or gave up: the network has not decided anything.
  if (name === 'ERROR_UPLOAD' || name === 'ERROR_CANCELLED')
    return new GatewayError('client_failed', `the page did not send the ${what}${hint}`, { id });
  const reason = retryAfterSeconds === undefined ? 'not_permitted' : 'rate_limited';
  return new GatewayError(reason, `the network refused the ${what}${hint}`, { retryAfterSeconds, id });
}

/** The limits of a send that may take `timeoutMs` in total; `ack`: the step that waits for the network. */
export function sendLimits({ time, attempt }: Call, timeoutMs: number, ack: 'textAck' | 'fileAck'): SendLimits {
  return { beginMs: Math.min(time.step('begin'), timeoutMs), timeoutMs, ackTimeoutMs: time.step(ack), attempt };
}

/** The message once the network has confirmed it; `outcome_unknown` if it has not in time. */
export function confirmed(page: PageCalls, answer: SendAnswer): Message {
  if (answer === 'unchecked')
    throw new GatewayError('client_failed', 'nothing was sent: the page was busy for too long');
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
