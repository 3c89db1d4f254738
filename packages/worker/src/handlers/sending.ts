import { GatewayError, type MediaSource, type Message, STATUS_FEED } from '@chat-web/protocol';
import type { HandlerContext, PageCalls } from '../client/port.ts';
import { toMessage } from '../client/resources.ts';
import { type MediaKind, withMedia } from '../media/outgoing-media.ts';
import { makeSticker } from '../page/media.ts';
import { checkSend, sendMessage, waitForAck } from '../page/messages.ts';

/** The steps of a send; together they end before the operation's own time limit, so that the answer is the truer one. */
const CHECK_TIMEOUT_MS = 6_000;
const TEXT_TIMEOUT_MS = 10_000;
const MEDIA_TIMEOUT_MS = 60_000;
const ACK_TIMEOUT_MS = 12_000;

/** A text to send. */
interface TextInput {
  readonly to: string;
  readonly body: string;
  readonly quotedMessageId?: string | undefined;
}

/** Media to send. */
interface MediaInput extends MediaSource {
  readonly type: MediaKind;
  readonly to: string;
  readonly quotedMessageId?: string | undefined;
}

/** Sends a text, and answers when the network has it. */
export async function sendText(page: PageCalls, { to, body, quotedMessageId }: TextInput): Promise<Message> {
  await check(page, to, quotedMessageId);
  // A text is sent as it is, also when it looks like a contact card.
  const options = { linkPreview: true, parseVCards: false, quotedMessageId, ignoreQuoteErrors: false };
  return confirmed(page, to, await page.change(TEXT_TIMEOUT_MS, sendMessage, to, body, options));
}

/** Sends media, and answers when the network has them. */
export async function sendMedia(context: HandlerContext, input: MediaInput): Promise<Message> {
  const { page } = context;
  const { type, to, quotedMessageId } = input;
  await check(page, to, quotedMessageId);
  return withMedia(type, input, context, ({ path, mimeType, filename }) =>
    page.withFile(path, async (key) => {
      const isSticker = type === 'sticker';
      if (isSticker && mimeType !== 'image/webp') await prepareSticker(page, key);
      const media = { data: key, mimetype: isSticker ? 'image/webp' : mimeType, filename };
      const options = {
        media,
        caption: isSticker ? undefined : input.caption,
        isCaptionByUser: Boolean(input.caption),
        sendMediaAsSticker: isSticker,
        sendMediaAsDocument: type === 'document',
        quotedMessageId,
        ignoreQuoteErrors: false,
      };
      const sent = await confirmed(page, to, await page.change(MEDIA_TIMEOUT_MS, sendMessage, to, '', options));
      return type === 'document' ? { ...sent, mimeType, filename } : sent;
    }),
  );
}

async function prepareSticker(page: PageCalls, key: string): Promise<void> {
  const isMade = await page.read(TEXT_TIMEOUT_MS, makeSticker, key).catch(() => false);
  if (!isMade) throw new GatewayError('client_failed', 'the image could not be made into a sticker; nothing was sent');
}

/** Refuses what cannot be sent, before anything is. */
async function check(page: PageCalls, to: string, quotedMessageId: string | undefined): Promise<void> {
  const finding = await page.read(CHECK_TIMEOUT_MS, checkSend, to, quotedMessageId).catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
    if (/No LID for user/i.test(error.message)) return 'no_chat' as const;
    // Nothing has been sent yet: the code of a lost answer would say too little.
    if (error.code === 'session_lost') throw new GatewayError('client_failed', `nothing was sent: ${error.message}`);
    throw error;
  });
  switch (finding) {
    case 'ok':
      return;
    case 'no_chat':
      throw /@(c\.us|lid)$/.test(to)
        ? new GatewayError('recipient_not_found', 'the recipient is not registered on the network')
        : new GatewayError('chat_not_found', 'the group or broadcast list is unknown to this account');
    case 'no_quoted_message':
      throw new GatewayError('message_not_found', 'the message to quote is unknown to this account');
    case 'not_quotable':
      throw new GatewayError('not_permitted', 'the message to quote cannot be replied to');
  }
}

/** The message once the network has it; `outcome_unknown` where that does not become known in time. */
export async function confirmed(page: PageCalls, to: string, model: unknown): Promise<Message> {
  if (!model) throw new GatewayError('outcome_unknown', 'the web client did not say what became of the message');
  const sent = readMessage(model);
  // Its post ends when the network has it, and the page keeps no ack under this id.
  if (to === STATUS_FEED && sent.ack === 0) return { ...sent, ack: 1 };
  const ack = sent.ack || (await page.read(ACK_TIMEOUT_MS + 1_000, waitForAck, sent.id, ACK_TIMEOUT_MS).catch(() => 0));
  page.onSent(ack !== 0);
  if (ack > 0) return { ...sent, ack: ack as Message['ack'] };
  if (ack < 0) throw new GatewayError('client_failed', 'the network refused the message');
  throw new GatewayError('outcome_unknown', `the network has not confirmed message ${sent.id}; it may still be sent`);
}

/** A message that has been sent or changed; `outcome_unknown` where the page describes it in a form that is none. */
export function readMessage(model: unknown): Message {
  try {
    return toMessage(model);
  } catch {
    throw new GatewayError('outcome_unknown', 'the web client did it, and described the message in an unknown form');
  }
}
