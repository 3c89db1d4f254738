import { describe, expect, it } from 'vitest';
import { toChats, toContacts, toGroups } from './lists.ts';

describe('toChats', () => {
  const chat = { id: '12025550102@c.us', name: 'Ben', unreadCount: -1, lastActivity: 5 };

  it('lists the newest first, each person once, and leaves out invalid rows', () => {
    const twin = { ...chat, name: 'Ben by his hidden id', lastActivity: 9 };
    const other = { ...chat, id: '12025550103@c.us', lastActivity: 7, lastMessage: { timestamp: 7.5, fromMe: true } };
    expect(toChats([chat, twin, null, { id: 7 }, other])).toEqual([
      { id: chat.id, name: twin.name, unreadCount: 1 },
      { id: other.id, name: 'Ben', unreadCount: 1, lastMessage: { body: '', timestamp: 7, fromMe: true } },
    ]);
  });
});

describe('a setting of a chat', () => {
  const chat = { id: '12025550102@c.us', name: 'Ben' };
  const shown = { ...chat, unreadCount: 0 };

  it('is absent if the page does not have it', () => {
    const rows = [{ ...chat, archived: null, pinned: undefined, muteExpiration: null }];
    expect(toChats(rows)).toEqual([shown]);
  });

  it.each([
    [0, null],
    [1_000, null],
    [-1, 'forever'],
    [4_000_000_000, '2096-10-02T07:06:40.000Z'],
  ])('is muted until %i: %s', (muteExpiration, mutedUntil) => {
    const set = { archived: true, pinned: false };
    expect(toChats([{ ...chat, ...set, muteExpiration }])).toEqual([{ ...shown, ...set, mutedUntil }]);
  });
});

describe('toGroups', () => {
  it('leaves out groups that the account has left', () => {
    const group = { id: '1@g.us', subject: 'G', participantCount: 2, isMember: true, isAdmin: false };
    expect(toGroups([group, { ...group, id: '2@g.us', isMember: false }])).toEqual([
      { id: '1@g.us', subject: 'G', participantCount: 2, isAdmin: false },
    ]);
  });

  it('has no count for a group whose members are unknown', () => {
    expect(toGroups([{ id: '1@g.us', subject: 'G', isMember: true }])).toEqual([{ id: '1@g.us', subject: 'G' }]);
  });
});

describe('toContacts', () => {
  const person = { id: '12025550102@c.us', isHidden: false, name: 'Ben', isUser: true, isMyContact: true };

  it('lists each person once, merged from two rows', () => {
    const contacts = toContacts([
      { ...person, lid: '7@lid', isHidden: true, name: 'Ben', pushname: 'Benny' },
      { ...person, lid: '7@lid', name: undefined, isMyContact: false, isBlocked: true },
      { ...person, id: '12025550101@c.us', isMe: true },
      { ...person, id: '1@g.us', isUser: false },
    ]);
    expect(contacts).toEqual([
      {
        id: person.id,
        lid: '7@lid',
        name: 'Ben',
        pushname: 'Benny',
        number: '12025550102',
        isMyContact: true,
        isWAContact: false,
        isBusiness: false,
        isBlocked: true,
      },
    ]);
  });

  it('lists people without a known number by their hidden id', () => {
    expect(toContacts([{ ...person, id: '5@lid', isHidden: true, pushname: 'Eve' }])).toMatchObject([
      { id: '5@lid', lid: '5@lid', number: '', pushname: 'Eve' },
    ]);
  });
});
