import * as v from 'valibot';
import { contactId, groupId, messageId, recipient, sessionId } from '../ids.ts';
import { LIMITS, listOf, networkId } from '../limits.ts';
import { wholeNumber } from '../query.ts';

/** A list in a body or query. */
export const itemsOf = <S extends v.GenericSchema>(item: S, max: number) =>
  listOf(item, max, `must have at most ${max} items`);

/** A text without line breaks and other control characters: nothing in it can begin a line of its own. */
export const oneLine = (max: number) =>
  v.pipe(
    v.string(),
    v.check((written) => written.trim() !== '', 'must not be empty or blank'),
    v.maxLength(max, `must be at most ${max} characters`),
    v.regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters'),
  );

/** The path of what concerns a session as a whole. */
export const ofSession = v.object({ id: sessionId });
export const ofMessage = v.object({ id: sessionId, messageId });
export const ofChat = v.object({ id: sessionId, chatId: recipient });
export const ofGroup = v.object({ id: sessionId, groupId });
export const ofContact = v.object({ id: sessionId, contactId });

export const READ_ERRORS = ['session_not_found', 'session_not_ready', 'client_failed', 'session_lost'] as const;
export const CHANGE_ERRORS = ['session_not_found', 'session_not_ready', 'client_failed', 'outcome_unknown'] as const;
/** Errors of what changes a chat, a group or a channel, and may be refused. */
export const CHAT_CHANGE_ERRORS = [...CHANGE_ERRORS, 'chat_not_found', 'not_permitted'] as const;
/** Errors of what changes a message, and may be refused. */
export const MESSAGE_CHANGE_ERRORS = [...CHANGE_ERRORS, 'message_not_found', 'not_permitted'] as const;
export const SEND_ERRORS = [
  ...CHANGE_ERRORS,
  'recipient_not_found',
  'chat_not_found',
  'message_not_found',
  'not_permitted',
] as const;

/** What most operations of a worker that read have in common: a row states what differs. */
export const reading = { method: 'GET', scope: 'read', errors: READ_ERRORS, timeoutMs: 30_000 } as const;
/** The same for those that change something. */
export const changing = { method: 'POST', scope: 'send', errors: CHANGE_ERRORS, timeoutMs: 30_000 } as const;

export const readingContact = { ...reading, params: ofContact } as const;
export const changingMessage = { ...changing, params: ofMessage, errors: MESSAGE_CHANGE_ERRORS } as const;

/** The number in the result of a check. */
export const checkedNumber = v.pipe(
  v.string(),
  v.regex(/^\d{0,20}$/),
  v.description('Digits. Empty for a hidden id whose number is not known'),
);

/** In some countries, one line has two forms of its number. */
export const registeredId = v.optional(
  v.pipe(networkId, v.description("The id by which the network knows the number's owner, if it is registered")),
);

const MAX_PAGE_ROWS = 1_000;
const MAX_SEARCH_LENGTH = 100;

/** The answer of an operation that returns a list of any length. */
export const longList = <S extends v.GenericSchema>(row: S) => ({ answer: listOf(row, LIMITS.listed), row });

/** A list of any length: whole, or by pages. Each row has an id. */
export const listing = <S extends v.GenericSchema>(row: S) => ({
  query: v.strictObject({
    limit: v.optional(v.pipe(wholeNumber(1, MAX_PAGE_ROWS), v.description('The most rows; without it, all of them'))),
    after: v.optional(v.pipe(networkId, v.description('The id of the last row of the page before'))),
    search: v.optional(
      v.pipe(
        oneLine(MAX_SEARCH_LENGTH),
        v.description('Only rows with this text, in any case, in a name, a number or an id'),
      ),
    ),
  }),
  ...longList(row),
});
