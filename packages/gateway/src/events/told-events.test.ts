import type { AccountEvent } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import { ToldEvents, toldKeyOf, toldNotes } from './told-events.ts';

const at = '2026-11-23T08:00:00.000Z';
const reaction = (messageId: string, emoji: string): AccountEvent => ({
  name: 'message_reaction',
  data: { messageId, chatId: 'c', from: 'a', emoji, at },
});
const stored = (event: AccountEvent): NewRecord => {
  return { kind: 'event', name: event.name, session: 'main', key: toldKeyOf(event), text: '' };
};
const recordOf = (record: NewRecord): JournalRecord => ({ seq: 1, at: 0, ...record });

describe('published events', () => {
  it('are recognised by their identity, until the session is deleted', () => {
    const told = new ToldEvents();
    told.apply(recordOf(stored(reaction('m', '👍'))));
    expect(told.has('main', toldKeyOf(reaction('m', '👍')))).toBe(true);
    expect(told.has('main', toldKeyOf(reaction('m', '')))).toBe(false);
    expect(told.has('other', toldKeyOf(reaction('m', '👍')))).toBe(false);
    told.apply(recordOf({ kind: 'forget', name: '', session: 'main', key: '', text: '' }));
    expect(told.has('main', toldKeyOf(reaction('m', '👍')))).toBe(false);
  });

  it('differ by their rows where several people do the same at the same time', () => {
    const keys = [undefined, 'A1', 'B2'].map((row) => toldKeyOf(reaction('m', '👍'), row));
    expect(new Set(keys).size).toBe(3);
    expect(toldKeyOf({ name: 'chat_updated', data: { chatId: 'c', unreadCount: 0 } }, 'A1')).toBe('');
  });

  it('are the newest thousand, and survive a restart and a move', () => {
    const told = new ToldEvents();
    for (let n = 0; n < 1_100; n += 1) told.apply(recordOf(toldNotes.own('main', `true_${n}`)));
    const [restarted, moved] = [new ToldEvents(), new ToldEvents()];
    for (const part of told.parts()) restarted.restore(part);
    for (const part of told.partsOf('main'))
      for (const record of moved.learn('main', part)) moved.apply(recordOf(record));
    for (const known of [told, restarted, moved]) {
      expect(known.has('main', 'message_sent true_99')).toBe(false);
      expect(known.has('main', 'message_sent true_100')).toBe(true);
    }
    expect(() => told.learn('main', [1])).toThrow();
  });
});
