import type { PageMessage } from '../models.ts';

/**
 * Types of messages in which no person says anything, by the page's names: notices, changes of another message, and the
 * frame of an album, whose files are messages of their own.
 */
const silent = new Set<unknown>([
  'album',
  'biz-cover-photo',
  'biz_content_placeholder',
  'broadcast_notification',
  'call_log',
  'comment',
  'debug',
  'debug_placeholder',
  'e2e_notification',
  'enc_reaction',
  'event_edit_encrypted',
  'event_response',
  'gp2',
  'group-history',
  'group_notification',
  'guest_upsell_system_msg',
  'history_bundle',
  'keep_in_chat',
  'loading_media',
  'message_edit_encrypted',
  'message_history_notice',
  'newsletter_notification',
  'newsletter_question_response',
  'notification',
  'notification_template',
  'pin_message',
  'pinned_message',
  'poll_add_option_decrypted',
  'poll_add_option_encrypted',
  'poll_edit_encrypted',
  'poll_update',
  'protocol',
  'reaction',
  'reaction_enc',
  'request_phone_number',
  'revoked',
  'status',
  'status_notification',
]);

/** A photo or video in another quality besides the visible one; a scheduled message that is not sent yet. */
const hidden = new Set<unknown>(['HIDDEN', 'SCHEDULED_MESSAGE']);

/** False for notices, and for revoked and hidden messages: they are not delivered. */
export function isDeliverable({ id, type, subtype, futureproofType, viewMode }: PageMessage): boolean {
  // Of a message that this build does not show, it may know the type.
  const isUnknown = type === 'unknown';
  const isNotice = silent.has(type) || (isUnknown && (silent.has(futureproofType) || /^payment_/.test(subtype ?? '')));
  return !isNotice && !hidden.has(viewMode) && !String(id.remote).endsWith('@newsletter');
}

/** A message whose content this device does not have: not yet, or never. */
export function isUnreadable({ type }: PageMessage): boolean {
  return type === 'ciphertext' || type === 'unknown' || type === 'oversized';
}

/** Whether its content may still come within seconds: the page asks for it again. */
export function isPending({ type, subtype }: PageMessage): boolean {
  return type === 'ciphertext' && !subtype?.endsWith('_unavailable_fanout');
}

/** Why this device cannot show the content of a message; undefined if it can. */
export function unavailability(message: PageMessage): 'view_once' | 'not_decrypted' | undefined {
  const { type, subtype, isViewOnce, directPath, local } = message;
  if (type === 'ciphertext' && subtype === 'view_once_unavailable_fanout') return 'view_once';
  // Newer builds drop the file when they read the message.
  if (isViewOnce === true && !directPath && local !== true) return 'view_once';
  return isUnreadable(message) ? 'not_decrypted' : undefined;
}
