import { matchesPattern, type Operation } from '@chat-web/protocol';
import type { Caller } from './caller.ts';
import { Refusal } from './refusal.ts';

/** Both ids of a person, as `resolveContacts` answers: absent or null where they are not known. */
interface BothIds {
  /** The one that was asked for. */
  readonly id: string;
  readonly number?: string | null | undefined;
  readonly lid?: string | null | undefined;
}

/** A message id names its chat. */
const OF_MESSAGE = /^(?:true|false)_([^_]+)_/;
/** How many people can be looked up at once. */
const MAX_OTHERS = 50;
/** What has a second id: a number, or a hidden id. */
const PERSON = /@(c\.us|lid)$/;

/**
 * Throws a Refusal unless the caller may write to all whom an operation reaches; anything is allowed without a limit, or
 * if the operation changes nothing. `input`: with its defaults and full ids. `bothIds`: of people whom the limit does not
 * name by the id that the operation has.
 */
export async function requireRecipients(
  { recipients: patterns }: Pick<Caller, 'recipients'>,
  operation: Pick<Operation, 'scope'>,
  input: Readonly<Record<string, unknown>>,
  bothIds: (ids: readonly string[]) => Promise<readonly BothIds[]>,
): Promise<void> {
  if (patterns === undefined || operation.scope === 'read') return;
  const isAllowed = (id: string) => patterns.some((pattern) => matchesPattern(pattern, id));
  const reached = recipientsIn(input);
  if (reached.length === 0) throw refusal('the key may only write to its recipients, and this has none');
  const others = reached.filter((id) => !isAllowed(id));
  if (others.length === 0) return;
  if (others.length > MAX_OTHERS || !others.every((id) => PERSON.test(id))) throw refusal();
  const people = await bothIds(others);
  for (const other of others) {
    const { number, lid } = people.find(({ id }) => id === other) ?? {};
    const ids = [...(number ? [`${number}@c.us`] : []), ...(lid ? [lid] : [])];
    if (!ids.some(isAllowed)) throw refusal();
  }
}

/** Full ids of those whom an operation reaches. A message is forwarded to others than those who have it. */
function recipientsIn(input: Readonly<Record<string, unknown>>): string[] {
  const { to, chatId, groupId, contactId, channelId, participants, messageId } = input;
  const ofMessage = typeof messageId === 'string' ? OF_MESSAGE.exec(messageId)?.[1] : undefined;
  const named = to === undefined ? [chatId, groupId, contactId, channelId, participants, ofMessage] : [to];
  return named.flat().filter((id) => typeof id === 'string');
}

function refusal(why = 'the key may not write to this recipient'): Refusal {
  return new Refusal('foreign_recipient', why);
}
