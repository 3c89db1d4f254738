import { chatOfMessage, matchesPattern, type Operation, STATUS_FEED } from '@chat-web/protocol';
import type { Caller } from './caller.ts';
import { Refusal } from './refusal.ts';

/** A person as the session knows them. */
interface Person {
  /** Empty if it is not known. */
  readonly number: string;
  /** The hidden id. */
  readonly lid?: string | undefined;
}

/** How many people are looked up for one request. */
const MAX_LOOKED_UP = 20;
/** A status is another person's if that person is its author. */
const AUTHOR_OF_STATUS = /^false_[^_]+@broadcast_.+_([^_@]+@[a-z.]+)$/;
const [BY_NUMBER, HIDDEN] = ['@c.us', '@lid'];

/**
 * Throws a Refusal unless the caller may write to all whom an operation reaches; anything is allowed without a limit, or if
 * the operation needs scope `read`. `input`: with its defaults and full ids. `personOf`: undefined for one whom the session
 * does not know.
 */
export async function requireRecipients(
  { recipients: patterns }: Pick<Caller, 'recipients'>,
  operation: Pick<Operation, 'scope'>,
  input: Readonly<Record<string, unknown>>,
  personOf: (contactId: string) => Promise<Person | undefined>,
): Promise<void> {
  if (patterns === undefined || operation.scope === 'read') return;
  const isAllowed = (id: string) =>
    patterns.some((pattern) => pattern === id || (id !== STATUS_FEED && matchesPattern(pattern, id)));
  const reached = recipientsIn(input);
  if (reached.length === 0) throw refusal('the key may only write to its recipients, and this has none');
  const others = reached.filter((id) => !isAllowed(id));
  if (others.length > MAX_LOOKED_UP) throw refusal();
  for (const id of others) {
    // A person has two ids: the patterns may name the other one.
    const otherKind = id.endsWith(BY_NUMBER) ? HIDDEN : id.endsWith(HIDDEN) ? BY_NUMBER : undefined;
    if (otherKind === undefined || !patterns.some((pattern) => pattern.endsWith(otherKind))) throw refusal();
    const { number, lid } = (await personOf(id)) ?? {};
    const ids = [...(number ? [`${number}${BY_NUMBER}`] : []), ...(lid ? [lid] : [])];
    if (!ids.some(isAllowed)) throw refusal();
  }
}

/** Full ids of those whom an operation reaches. A message is forwarded to others than those who have it. */
function recipientsIn(input: Readonly<Record<string, unknown>>): string[] {
  const { to, chatId, groupId, contactId, channelId, participants, messageId } = input;
  const ofMessage =
    typeof messageId === 'string' ? [chatOfMessage(messageId), AUTHOR_OF_STATUS.exec(messageId)?.[1]] : [];
  const named = to === undefined ? [chatId, groupId, contactId, channelId, participants, ofMessage] : [to];
  return named.flat().filter((id) => typeof id === 'string');
}

function refusal(why = 'the key may not write to this recipient'): Refusal {
  return new Refusal('foreign_recipient', why);
}
