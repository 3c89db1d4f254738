import { describe, expect, it } from 'vitest';
import { toChats, toContacts, toGroups } from './lists.ts';

describe('toChats', () => {
  const chat = { id: '12025550102@c.us', name: 'Ben', unreadCount: -1, lastActivity: 5 };

  it('shows the newest first, each person once, and leaves out what cannot be shown', () => {
    const twin = { ...chat, name: 'Ben by his hidden id', lastActivity: 9 };
    const other = { ...chat, id: '12025550103@c.us', lastActivity: 7, lastMessage: { timestamp: 7.5, fromMe: true } };
    expect(toChats([chat, twin, null, { id: 7 }, other])).toEqual([
      { id: chat.id, name: twin.name, unreadCount: 1 },
      { id: other.id, name: 'Ben', unreadCount: 1, lastMessage: { body: '', timestamp: 7, fromMe: true } },
    ]);
  });
});

describe('toGroups', () => {
  it('leaves out those that were left', () => {
    const group = { id: '1@g.us', subject: 'G', participantCount: 2, isMember: true, isAdmin: false };
    expect(toGroups([group, { ...group, id: '2@g.us', isMember: false }])).toEqual([
      { id: '1@g.us', subject: 'G', participantCount: 2, isAdmin: false },
    ]);
  });
});

describe('toContacts', () => {
  const person = { id: '12025550102@c.us', isHidden: false, name: 'Ben', isUser: true, isMyContact: true };

  it('prefers an entry by number to its twin by hidden id, and leaves out oneself, groups and the nameless hidden', () => {
    const contacts = toContacts([
      { ...person, isHidden: true, name: 'twin' },
      person,
      { ...person, id: '12025550101@c.us', isMe: true },
      { ...person, id: '1@g.us', isUser: false },
      { ...person, id: '5@lid', isHidden: true },
    ]);
    expect(contacts).toMatchObject([{ id: person.id, name: 'Ben', isMyContact: true, isBlocked: false }]);
    expect(contacts).toHaveLength(1);
  });
});
