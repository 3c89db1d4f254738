import type { PageMessage } from '../models.ts';

/** The content of a message; of a quoted one, the page has only that. */
export type Content = Partial<PageMessage>;

/** Messages whose body is a thumbnail, if they have one. */
const files = new Set<unknown>(['image', 'video', 'ptv', 'audio', 'ptt', 'document', 'sticker', 'sticker-pack']);

/** The texts that phones show of messages with several, from top to bottom, by the page's type. */
const texts = new Map<unknown, (message: Content) => readonly unknown[]>([
  ['location', ({ loc, caption }) => [loc || caption]],
  ['multi_vcard', ({ vcardList }) => (vcardList ?? []).map((card) => card?.vcard)],
  ['poll_creation', ({ pollName }) => [pollName]],
  ['poll_result_snapshot', ({ pollName }) => [pollName]],
  ['list', ({ list, footer }) => [list?.title, list?.description, footer]],
  [
    'interactive',
    ({ interactiveHeader: header, caption, carouselCardsParsed: cards, footer }) => [
      header?.title,
      header?.subtitle,
      caption,
      ...(cards ?? []).map((card) => card?.caption),
      footer,
    ],
  ],
  ['order', ({ orderTitle, message }) => [orderTitle, message]],
  ['product', ({ title, description, caption, footer }) => [title, description, caption, footer]],
  ['groups_v4_invite', ({ comment, inviteGrpName }) => [comment, inviteGrpName]],
  ['newsletter_admin_invite', ({ newsletterAdminInviteInfo: one }) => [one?.inviteMessage, one?.newsletterName]],
  ['newsletter_follower_invite', ({ newsletterFollowerInviteInfo: one }) => [one?.inviteMessage, one?.newsletterName]],
  [
    'event_creation',
    ({ eventName, eventDescription, eventLocation }) => [eventName, eventDescription, eventLocation?.name],
  ],
  ['payment', ({ paymentNoteMsg }) => [paymentNoteMsg?.body]],
  ['rich_response', ({ richResponse }) => (richResponse?.fragments ?? []).map((fragment) => fragment?.text)],
  ['quarantined', ({ quarantineExtractedText }) => [quarantineExtractedText]],
]);

/** More than a phone shows. */
const MAX_TEXTS = 300;

/** A template, or a message with buttons below it. */
function hasButtons({ type, isFromTemplate, isDynamicReplyButtonsMsg }: Content) {
  return isFromTemplate === true || isDynamicReplyButtonsMsg === true || type === 'native_flow';
}

function isFile({ type, directPath }: Content) {
  return Boolean(directPath) || files.has(type);
}

/** Whether its text is a caption only: that of a document without one is its file name. */
export function hasCaption(message: Content): boolean {
  return isFile(message) && !hasButtons(message) && !texts.has(message.type);
}

/**
 * The text of a message, as phones show it: body, caption, name of a location, question of a poll, or the text of
 * contact cards; header, text and footer of a template or a list, each on its own line. The body of a file or location
 * is its thumbnail.
 */
export function textOf(message: Content): string | undefined {
  const { type, title, body, caption, footer } = message;
  const isThumbnail = isFile(message) || type === 'location';
  const own = joined(texts.get(type)?.(message)) ?? (isThumbnail ? undefined : body);
  if (!hasButtons(message)) return hasCaption(message) ? caption : own;
  return joined([title, own ?? caption, footer]);
}

function joined(parts: readonly unknown[] = []): string | undefined {
  const written = parts.slice(0, MAX_TEXTS).filter((part): part is string => typeof part === 'string' && part !== '');
  return written.length > 0 ? written.join('\n') : undefined;
}
