import type { ListedChat, MessageType, PhoneMessage } from '../api.ts';

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const shortDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** Times are shown in the zone and the language of the browser. */
export const showTime = (date: Date) => time.format(date);
export const showFull = (date: Date) => full.format(date);

/** `Today`, `Yesterday`, or the date. */
export function showDay(date: Date): string {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return 'Today';
  now.setDate(now.getDate() - 1);
  return date.toDateString() === now.toDateString() ? 'Yesterday' : day.format(date);
}

/** The time if it is today, otherwise the date. */
export function showWhen(date: Date): string {
  return date.toDateString() === new Date().toDateString() ? time.format(date) : shortDay.format(date);
}

/** `+12025550101`, also from `12025550101@c.us`. */
export function showNumber(id: string): string {
  return `+${id.replace(/@.*$/, '')}`;
}

/** `12 kB` */
export function showSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const kinds: Readonly<Record<Exclude<MessageType, 'text'>, string>> = {
  image: 'Image',
  video: 'Video',
  note: 'Video note',
  audio: 'Audio',
  voice: 'Voice message',
  document: 'Document',
  sticker: 'Sticker',
  location: 'Location',
  contact: 'Contact card',
  contacts: 'Contact cards',
  poll: 'Poll',
  other: 'Message of another type',
  invite: 'Invitation to a group',
  notice: 'Notice',
  revoked: 'This message was deleted',
};

export function showKind(type: MessageType): string | undefined {
  return type === 'text' ? undefined : kinds[type];
}

/** The text that a person has written: contact cards and places have data there. */
export function writtenText({ type, body }: PhoneMessage): string {
  return type === 'contact' || type === 'contacts' || type === 'location' ? '' : body;
}

export function showInShort(message: PhoneMessage): string {
  const kind = showKind(message.type);
  return [kind, message.filename, writtenText(message)].filter(Boolean).join(', ');
}

/** The acks of the network in words. */
export function showAck(ack: number): string {
  if (ack >= 3) return 'read';
  return ack === 2 ? 'delivered' : 'sent';
}

/** Typing or recording in a chat, in words. */
export function showChatState({ state }: ListedChat['chatStates'][number]): string {
  return state === 'typing' ? 'typing…' : 'recording…';
}

/** The marks of a chat in words, as a prefix. */
export function showMarks({ archived, pinned, mutedUntil, labels }: ListedChat): string {
  const isMuted = mutedUntil < 0 || mutedUntil * 1_000 > Date.now();
  return [archived && 'Archived', pinned && 'Pinned', isMuted && 'Muted', ...labels]
    .filter(Boolean)
    .map((word) => `${word} · `)
    .join('');
}
