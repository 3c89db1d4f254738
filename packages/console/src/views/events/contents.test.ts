import { type EventName, eventData } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { withoutContents } from './contents.ts';

const MESSAGE_CONTENTS = [
  'senderName',
  'body',
  'filename',
  'quoted',
  'location',
  'contacts',
  'referral',
  'selected',
  'poll',
];
/** Texts and names of people, and codes that open an account. */
const CONTENTS: { readonly [N in EventName]?: readonly string[] } = {
  ready: ['pushname'],
  pairing_code: ['code'],
  message: MESSAGE_CONTENTS,
  message_sent: MESSAGE_CONTENTS,
  message_reaction: ['senderName', 'emoji'],
  call: ['senderName'],
  message_edited: ['body'],
  poll_vote: ['options'],
  group_updated: ['value'],
};

describe('an event without its contents', () => {
  it.each(Object.entries(eventData))('leaves out only the contents of %s', (written, schema) => {
    const name = written as EventName;
    if (!('entries' in schema)) return;
    const data = Object.fromEntries(Object.keys(schema.entries).map((field) => [field, 'secret']));
    const shown = withoutContents({ name, data } as never) as Record<string, string>;
    const hidden = Object.keys(shown).filter((field) => shown[field] !== 'secret');
    expect(hidden).toEqual(CONTENTS[name] ?? []);
  });

  it('hides a QR, and any unknown field', () => {
    expect(withoutContents({ name: 'qr', data: 'data:image/png' })).toBe('(hidden: 14 characters)');
    const data = { id: 'a', ack: 1, note: { text: 'secret' } };
    expect(withoutContents({ name: 'message_ack', data } as never)).toEqual({ id: 'a', ack: 1, note: '(hidden)' });
  });
});
