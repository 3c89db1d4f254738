import { describe, expect, it } from 'vitest';
import { isAckOf, messageIn, sentIdIn } from './sent-id.ts';

const id = 'true_12025550102@c.us_3EB0AA';

describe('the id of a sent message', () => {
  it('is that of the message, or of one that may have been sent', () => {
    const message = {
      ...{ id, from: 'a', to: 'b', fromMe: true, body: '', type: 'text', timestamp: 1, ack: 1, hasMedia: false },
      ...{ isForwarded: false, isStatus: false, mentionedIds: [] },
    };
    expect([messageIn(message)?.id, sentIdIn(message)]).toEqual([id, id]);
    const unknown = { error: 'no answer', code: 'outcome_unknown', id };
    expect([messageIn(unknown), sentIdIn(unknown)]).toEqual([undefined, id]);
    for (const other of [
      { error: '', code: 'client_failed', id },
      [],
      undefined,
      'text',
      { id, messageId: id, emoji: '' },
    ])
      expect(sentIdIn(other)).toBeUndefined();
  });

  it('has acks under the same id, or with the chat before it', () => {
    expect([isAckOf(id, id), isAckOf(id, '3EB0AA'), isAckOf(id, '3EB0A'), isAckOf(id, '')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
