import type { AnswerOf, Download } from '@chat-web/host';
import type { Inbox } from './follow.ts';

type Sent = AnswerOf<'sendMessage'>;

/** The fields of a form. */
export interface Outgoing {
  readonly chat: string;
  readonly body: string;
  readonly attachment: File | undefined;
}

/**
 * Images that browsers show within a page. Other files are downloads: a stranger's HTML or SVG would run scripts with
 * our origin.
 */
export const SHOWN_IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** The media kinds of the network; other files are sent as documents. */
const KINDS: Readonly<Record<string, 'image' | 'video' | 'audio'>> = {
  ...{ 'image/jpeg': 'image', 'image/png': 'image', 'image/webp': 'image' },
  ...{ 'video/mp4': 'video', 'audio/mpeg': 'audio', 'audio/ogg': 'audio', 'audio/mp4': 'audio' },
};

const FILE_SECONDS = 86_400;

/** Sends in progress, by key and content: a double click sends two requests at once. */
const underWay = new Map<string, Promise<void>>();

/**
 * Sends the content of a form, once per key, and stores it. The key was created with the form: a double click, a
 * reload, or a retry after an error or a crash has the same key, and gets the message that was sent. Rejects with a
 * GatewayError.
 */
export function send(inbox: Inbox, key: string, outgoing: Outgoing): Promise<void> {
  const { chat, body, attachment } = outgoing;
  const form = JSON.stringify([key, chat, body, attachment?.name, attachment?.size]);
  const running = underWay.get(form);
  if (running) return running;
  const sending = sendOnce(inbox, key, outgoing).finally(() => underWay.delete(form));
  underWay.set(form, sending);
  return sending;
}

/** Resolves when all sends in progress are answered. */
export async function sendsDone(): Promise<void> {
  await Promise.allSettled(underWay.values());
}

async function sendOnce({ session: id, client, store, live }: Inbox, idempotencyKey: string, outgoing: Outgoing) {
  const { chat, body, attachment } = outgoing;
  const options = { idempotencyKey };
  const sent: Sent = attachment
    ? await client.sendMessage({ id, to: chat, ...mediaOf(attachment, body) }, options)
    : await client.sendMessage({ id, to: chat, type: 'text', body }, options);
  if ('timestamp' in sent) await store.add({ ...sent, chat }); // All except reactions have one.
  live.changed();
}

function mediaOf(file: File, caption: string) {
  const [mimeType = ''] = file.type.toLowerCase().split(';');
  return {
    type: KINDS[mimeType] ?? ('document' as const),
    base64: file, // Encoded while it is sent.
    filename: file.name.slice(-255),
    ...(/^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? { mimeType } : {}),
    ...(caption === '' ? {} : { caption }),
  };
}

/** A message's file, as a response for a browser. */
export function download({ data, size, mimeType, filename = 'file' }: Download): Response {
  const [type = ''] = mimeType.toLowerCase().split(';');
  const isShown = SHOWN_IMAGES.includes(type);
  return new Response(data, {
    headers: {
      'Cache-Control': `private, max-age=${FILE_SECONDS}`, // A file never changes.
      'Content-Type': isShown ? type : 'application/octet-stream',
      'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(filename)}`,
      ...(Number.isFinite(size) ? { 'Content-Length': String(size) } : {}),
    },
  });
}

/** Removes marks that change the direction of writing, and would make `exe.pdf` of `fdp.exe`. */
export function withoutMarks(name: string): string {
  return name.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** Encodes a name for a header: it may contain anything, such as half a character. */
function encoded(name: string): string {
  return encodeURIComponent(withoutMarks(name).toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}
