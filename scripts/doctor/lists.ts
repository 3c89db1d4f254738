import { type Contact, GatewayError } from '@chat-web/protocol';
import { PIN } from './advice.ts';
import type { LinkedSession } from './linked.ts';
import { type Outcome, share } from './report.ts';

const MAX_PICTURES = 3;
/** The share of the address book that has a name if the page is read correctly. */
const MIN_NAMED_SHARE = 0.9;

/** Checks the account's chats, contacts, groups and pictures, and that its own number is registered. */
export async function checkLists(session: LinkedSession, to: string | undefined): Promise<void> {
  const { report, client, id, phone } = session;
  await report.check('chats', async () => {
    const chats = await client.listChats({ id });
    const withLast = chats.filter(({ lastMessage }) => lastMessage !== undefined).length;
    return `${chats.length}, with the last message of ${share(withLast, chats.length)}`;
  });
  let contacts: readonly Contact[] = [];
  await report.check('contacts', async () => {
    contacts = await client.listContacts({ id });
    return judgeContacts(contacts);
  });
  await report.check('groups', async () => {
    const groups = await client.listGroups({ id });
    const known = groups.filter(({ participantCount }) => participantCount !== undefined).length;
    const detail = `${groups.length}, with the members of ${share(known, groups.length)}`;
    if (known === groups.length) return detail;
    const todo = 'the network delays such queries for large accounts: GET groups again some minutes later';
    return { result: 'warn', detail, todo };
  });
  await report.check('pictures', () => pictures(session, contacts, to));
  await report.check('own number exists', async () => {
    const { exists } = await client.numberExists({ id, number: phone });
    if (exists) return 'yes';
    return { result: 'fail', detail: 'the network reports it as not registered', todo: PIN };
  });
}

function judgeContacts(contacts: readonly Contact[]): Outcome {
  const isNamed = ({ name, pushname }: Contact) => Boolean(name || pushname);
  const saved = contacts.filter(({ isMyContact }) => isMyContact);
  const named = saved.filter(isNamed).length;
  const doubled = countTwins(contacts);
  const detail = [
    `${contacts.length}, ${share(contacts.filter(isNamed).length, contacts.length)} have a name`,
    `of the saved contacts ${share(named, saved.length)}`,
    `${contacts.filter(({ number }) => number === '').length} have no number`,
  ].join(', ');
  if (doubled > 0)
    return { result: 'fail', detail: `${detail}; ${doubled} are listed twice, by number and by hidden id`, todo: PIN };
  if (saved.length === 0) return { result: 'note', detail };
  return named / saved.length >= MIN_NAMED_SHARE ? detail : { result: 'fail', detail, todo: PIN };
}

/** How many hidden ids have their own entry besides that of their number. */
function countTwins(contacts: readonly (Contact & { readonly lid?: string | undefined })[]): number {
  const known = new Set(contacts.flatMap(({ id, lid }) => (lid !== undefined && lid !== id ? [lid] : [])));
  return contacts.filter(({ id }) => known.has(id)).length;
}

async function pictures({ client, id }: LinkedSession, contacts: readonly Contact[], to: string | undefined) {
  const people = [...contacts].filter(({ number }) => number !== '');
  const rank = ({ number, isMyContact }: Contact) => (number === to ? 0 : isMyContact ? 1 : 2);
  const chosen = people.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_PICTURES);
  const seen = { present: 0, none: 0, later: 0 };
  for (const { id: contactId } of chosen) {
    try {
      const picture = await client.getPicture({ id, contactId });
      seen[picture ? 'present' : 'none'] += 1;
      await picture?.data.cancel();
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'rate_limited') throw error;
      seen.later += 1;
    }
  }
  const detail = `of ${chosen.length} people: ${seen.present} present, ${seen.none} none or private, ${seen.later} deferred`;
  if (chosen.length === 0) return { result: 'skip' as const, detail: 'the account knows no contact by number' };
  if (seen.later === 0) return detail;
  return { result: 'warn' as const, detail, todo: 'the network delays such queries: try again some minutes later' };
}
