import {
  type Chat,
  type Contact,
  chat,
  community,
  contact,
  cutText,
  type Group,
  group,
  LIMITS,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { knownUsername, toMutedUntil, toTime } from './resources.ts';
import { orNone, validRows } from './schemas.ts';

const text = v.optional(v.nullable(v.string()));
const name = v.optional(
  v.nullable(
    v.pipe(
      v.string(),
      v.transform((written) => cutText(written, LIMITS.name)),
    ),
  ),
);
const yes = v.optional(v.unknown());

/** Chats of the API, from the rows of the page program; invalid ones are left out. */
export function toChats(read: readonly unknown[]): Chat[] {
  const model = v.object({
    id: v.string(),
    name,
    community: orNone(community),
    unreadCount: v.optional(v.nullable(v.number())),
    lastActivity: v.optional(v.nullable(v.number())),
    archived: v.optional(v.nullable(v.boolean())),
    pinned: v.optional(v.nullable(v.boolean())),
    muteExpiration: v.optional(v.nullable(v.number())),
    lastMessage: v.optional(v.nullable(v.object({ body: text, timestamp: v.number(), fromMe: v.boolean() }))),
  });
  const newestFirst = validRows(model, read).sort((a, b) => (b.lastActivity ?? 0) - (a.lastActivity ?? 0));
  // A person may have a chat by number and one by hidden id; the API lists the newer one.
  const seen = new Set<string>();
  return newestFirst
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .map(({ id, name, community, unreadCount, lastMessage, archived, pinned, muteExpiration }) => ({
      id,
      name: name ?? id.replace(/@.*/, ''),
      ...(community ? { community } : {}),
      ...(lastMessage
        ? {
            lastMessage: {
              body: cutText(lastMessage.body ?? '', LIMITS.body),
              timestamp: toTime(lastMessage.timestamp),
              fromMe: lastMessage.fromMe,
            },
          }
        : {}),
      // The page uses -1 for a chat marked as unread.
      unreadCount: Math.abs(Math.trunc(unreadCount ?? 0)),
      ...(typeof archived === 'boolean' ? { archived } : {}),
      ...(typeof pinned === 'boolean' ? { pinned } : {}),
      ...(typeof muteExpiration === 'number' ? { mutedUntil: toMutedUntil(muteExpiration) } : {}),
    }))
    .filter((shown) => v.is(chat, shown));
}

/** Groups of the API: those that the account is a member of. */
export function toGroups(read: readonly unknown[]): Group[] {
  const model = v.object({
    id: v.string(),
    subject: name,
    participantCount: v.optional(v.nullable(v.number())),
    isMember: v.boolean(),
    isAdmin: v.optional(v.nullable(v.boolean())),
    community: orNone(community),
  });
  return validRows(model, read)
    .filter(({ isMember }) => isMember)
    .map(({ id, subject, participantCount, isAdmin, community }) => ({
      id,
      subject: subject ?? '',
      ...(typeof participantCount === 'number' ? { participantCount } : {}),
      ...(typeof isAdmin === 'boolean' ? { isAdmin } : {}),
      ...(community ? { community } : {}),
    }))
    .filter((shown) => v.is(group, shown));
}

const contactModel = v.object({
  id: v.string(),
  lid: text,
  isHidden: yes,
  name,
  pushname: name,
  username: knownUsername,
  isMe: yes,
  isUser: yes,
  isMyContact: yes,
  isWAContact: yes,
  isBusiness: yes,
  isBlocked: yes,
});
type ContactModel = v.InferOutput<typeof contactModel>;

/**
 * People of the API, each once. The page may have a row by number and one by hidden id, and the name in only one of
 * them: both are merged. People with an unknown number have their hidden id.
 */
export function toContacts(read: readonly unknown[]): Contact[] {
  const byId = new Map<string, ContactModel[]>();
  for (const model of validRows(contactModel, read)) byId.set(model.id, [...(byId.get(model.id) ?? []), model]);
  return [...byId.values()].flatMap((rows) => shownContact(rows) ?? []);
}

/** One person, merged from the rows of the page; undefined for rows that are not a person. */
function shownContact(rows: readonly ContactModel[]): Contact | undefined {
  // The row by number comes first: its values win.
  const [first, ...rest] = [...rows].sort((a, b) => Number(a.isHidden === true) - Number(b.isHidden === true));
  const [, digits, server] = /^(\d+)@(c\.us|lid|bot)$/.exec(first?.id ?? '') ?? [];
  if (!first || !digits || rows.some(({ isMe, isUser }) => isMe === true || isUser !== true)) return undefined;
  const all = [first, ...rest];
  const lid = server === 'lid' ? first.id : all.find((row) => row.lid)?.lid;
  const name = all.find((row) => row.name)?.name;
  const pushname = all.find((row) => row.pushname)?.pushname;
  const username = all.find((row) => row.username)?.username;
  const either = (is: (row: ContactModel) => unknown) => all.some((row) => is(row) === true);
  const shown = {
    id: first.id,
    ...(lid ? { lid } : {}),
    ...(name ? { name } : {}),
    ...(pushname ? { pushname } : {}),
    ...(username ? { username } : {}),
    number: server === 'c.us' ? digits : '',
    isMyContact: either(({ isMyContact }) => isMyContact),
    isWAContact: either(({ isWAContact }) => isWAContact),
    isBusiness: either(({ isBusiness }) => isBusiness),
    isBlocked: either(({ isBlocked }) => isBlocked),
  };
  return v.is(contact, shown) ? shown : undefined;
}
