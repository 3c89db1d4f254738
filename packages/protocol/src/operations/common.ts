import * as v from 'valibot';
import { contactId, groupId, messageId, recipient, sessionId } from '../ids.ts';

/** A list in a body or query. */
export const itemsOf = <S extends v.GenericSchema>(item: S, most: number) =>
  v.pipe(v.array(item), v.maxLength(most, `must have at most ${most} items`));

/** The path of what concerns a session as a whole. */
export const ofSession = v.object({ id: sessionId });
/** The path of a message. */
export const ofMessage = v.object({ id: sessionId, messageId });
/** The path of a chat. */
export const ofChat = v.object({ id: sessionId, chatId: recipient });
/** The path of a group. */
export const ofGroup = v.object({ id: sessionId, groupId });
/** The path of a person. */
export const ofContact = v.object({ id: sessionId, contactId });

/** Errors of everything that reads. */
export const READ_ERRORS = ['session_not_found', 'session_not_ready', 'client_failed', 'session_lost'] as const;
/** Errors of everything that changes something. */
export const CHANGE_ERRORS = ['session_not_found', 'session_not_ready', 'client_failed', 'outcome_unknown'] as const;
/** Errors of what changes a chat, a group or a channel, and may be refused. */
export const CHAT_CHANGE_ERRORS = [...CHANGE_ERRORS, 'chat_not_found', 'not_permitted'] as const;
/** Errors of what changes a message, and may be refused. */
export const MESSAGE_CHANGE_ERRORS = [...CHANGE_ERRORS, 'message_not_found', 'not_permitted'] as const;
/** Errors of what sends a message. */
export const SEND_ERRORS = [
  ...CHANGE_ERRORS,
  'recipient_not_found',
  'chat_not_found',
  'message_not_found',
  'not_permitted',
] as const;
