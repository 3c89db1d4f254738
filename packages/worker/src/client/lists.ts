import { type Chat, type Contact, chat, contact, type Group, group } from '@chat-web/protocol';
import * as v from 'valibot';

const text = v.optional(v.nullable(v.string()));
const yes = v.optional(v.unknown());

/** Chats as the API shows them, from what the page script read; one that cannot be shown is left out. */
export function toChats(read: readonly unknown[]): Chat[] {
  const model = v.object({
    id: v.string(),
    name: text,
    unreadCount: v.optional(v.nullable(v.number())),
    lastActivity: v.optional(v.nullable(v.number())),
    lastMessage: v.optional(v.nullable(v.object({ body: text, timestamp: v.number(), fromMe: v.boolean() }))),
  });
  const newestFirst = readable(model, read).sort((a, b) => (b.lastActivity ?? 0) - (a.lastActivity ?? 0));
  // A person may have a chat by number and one by hidden id; the API knows the person once.
  const seen = new Set<string>();
  return newestFirst
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .map(({ id, name, unreadCount, lastMessage }) => ({
      id,
      name: name ?? id.replace(/@.*/, ''),
      ...(lastMessage
        ? {
            lastMessage: {
              body: lastMessage.body ?? '',
              timestamp: Math.floor(lastMessage.timestamp),
              fromMe: lastMessage.fromMe,
            },
          }
        : {}),
      // The page has -1 for a chat that somebody marked as unread.
      unreadCount: Math.abs(Math.trunc(unreadCount ?? 0)),
    }))
    .filter((shown) => v.is(chat, shown));
}

/** Groups that the account is in, as the API shows them. */
export function toGroups(read: readonly unknown[]): Group[] {
  const model = v.object({
    id: v.string(),
    subject: text,
    participantCount: v.number(),
    isMember: v.boolean(),
    isAdmin: v.boolean(),
  });
  return readable(model, read)
    .filter(({ isMember }) => isMember)
    .map(({ id, subject, participantCount, isAdmin }) => ({ id, subject: subject ?? '', participantCount, isAdmin }))
    .filter((shown) => v.is(group, shown));
}

const contactModel = v.object({
  id: v.string(),
  isHidden: v.boolean(),
  name: text,
  pushname: text,
  isMe: yes,
  isUser: yes,
  isMyContact: yes,
  isWAContact: yes,
  isBusiness: yes,
  isBlocked: yes,
});

/** People as the API shows them, each once: an entry by number is worth more than its twin by hidden id. */
export function toContacts(read: readonly unknown[]): Contact[] {
  const people = readable(contactModel, read).sort((a, b) => Number(a.isHidden) - Number(b.isHidden));
  const byId = new Map<string, Contact>();
  for (const model of people) {
    const shown = shownContact(model);
    if (shown && !byId.has(shown.id)) byId.set(shown.id, shown);
  }
  return [...byId.values()];
}

/** One person as the API shows them; undefined for what is none. */
export function toContact(read: unknown): Contact | undefined {
  const [model] = readable(contactModel, [read]);
  return model && shownContact(model);
}

function shownContact(model: v.InferOutput<typeof contactModel>): Contact | undefined {
  const { id, name, pushname, isMe, isUser, isMyContact, isWAContact, isBusiness, isBlocked } = model;
  const [, number] = /^(\d+)@c\.us$/.exec(id) ?? [];
  if (!number || isMe === true || isUser !== true) return undefined;
  const shown = {
    id,
    ...(name ? { name } : {}),
    ...(pushname ? { pushname } : {}),
    number,
    isMyContact: isMyContact === true,
    isWAContact: isWAContact === true,
    isBusiness: isBusiness === true,
    isBlocked: isBlocked === true,
  };
  return v.is(contact, shown) ? shown : undefined;
}

function readable<S extends v.GenericSchema>(model: S, read: readonly unknown[]): v.InferOutput<S>[] {
  return read.flatMap((one) => {
    const parsed = v.safeParse(model, one);
    return parsed.success ? [parsed.output] : [];
  });
}
