import type { AccountEvent } from '@chat-web/protocol';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { checkpointParts } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import { ownMessageNote, PublishedEvents, publishedKeyOf } from './published-events.ts';

const at = '2026-11-23T08:00:00.000Z';
const reaction = (messageId: string, emoji: string): AccountEvent => ({
  name: 'message_reaction',
  data: { messageId, chatId: 'c', from: 'a', emoji, at },
});
const stored = (event: AccountEvent): NewRecord => {
  return { kind: 'event', name: event.name, session: 'main', key: publishedKeyOf(event), text: '' };
};
const recordOf = (record: NewRecord): JournalRecord => ({ seq: 1, at: 0, ...record });

describe('published events', () => {
  it('are recognised by their identity, until the session is deleted', () => {
    const published = new PublishedEvents();
    published.apply(recordOf(stored(reaction('m', '👍'))));
    expect(published.has('main', publishedKeyOf(reaction('m', '👍')))).toBe(true);
    expect(published.has('main', publishedKeyOf(reaction('m', '')))).toBe(false);
    expect(published.has('other', publishedKeyOf(reaction('m', '👍')))).toBe(false);
    published.apply(recordOf({ kind: 'forget', name: '', session: 'main', key: '', text: '' }));
    expect(published.has('main', publishedKeyOf(reaction('m', '👍')))).toBe(false);
  });

  it('differ by their rows where several people do the same at the same time', () => {
    const keys = [undefined, 'A1', 'B2'].map((row) => publishedKeyOf(reaction('m', '👍'), row));
    expect(new Set(keys).size).toBe(3);
    expect(publishedKeyOf({ name: 'chat_updated', data: { chatId: 'c', unreadCount: 0 } }, 'A1')).toBe('');
  });

  it('are the newest thousand, and survive a restart', () => {
    const published = new PublishedEvents();
    for (let n = 0; n < 1_100; n += 1) published.apply(recordOf(ownMessageNote('main', `true_${n}`)));
    const restarted = new PublishedEvents();
    for (const { session, text } of checkpointParts(published)) restarted.restore(session, JSON.parse(text));
    for (const known of [published, restarted]) {
      expect(known.has('main', 'message_sent true_99')).toBe(false);
      expect(known.has('main', 'message_sent true_100')).toBe(true);
    }
    expect(published.partsOf('main').every((part) => v.is(published.part, part))).toBe(true);
    expect(v.is(published.part, [1])).toBe(false);
  });
});
