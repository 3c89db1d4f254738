import { describe, expect, it } from 'vitest';
import { checkpointParts } from '../journal/folds.ts';
import type { JournalRecord } from '../journal/frame.ts';
import { OpenAcks } from './open-acks.ts';

const record = (session: string, id: string, ack: number): JournalRecord => ({
  kind: 'event',
  name: 'message_ack',
  session,
  key: '',
  seq: 1,
  at: 0,
  text: JSON.stringify({ id, ack }),
});

function foldOf(...acks: readonly (readonly [session: string, id: string, ack: number])[]): OpenAcks {
  const fold = new OpenAcks();
  for (const [session, id, ack] of acks) fold.apply(record(session, id, ack));
  return fold;
}

describe('open acks', () => {
  it('are the last of each message, by session, until no later one can follow', () => {
    const fold = foldOf(['main', 'a', 1], ['main', 'b', 1], ['main', 'a', 2], ['main', 'b', 4], ['other', 'a', 3]);
    expect(fold.list('main')).toEqual([{ id: 'a', ack: 2 }]);
    expect(fold.list('other')).toEqual([{ id: 'a', ack: 3 }]);
    expect([fold.of('main', 'a'), fold.of('main', 'b')]).toEqual([2, 4]);
  });

  it('are those of the 500 messages that changed last', () => {
    const fold = foldOf(...Array.from({ length: 600 }, (_, n) => ['main', `${n}`, 1] as const), ['main', '150', 2]);
    expect(fold.list('main')).toHaveLength(500);
    expect(fold.list('main')[0]).toEqual({ id: '100', ack: 1 });
    expect(fold.list('main').at(-1)).toEqual({ id: '150', ack: 2 });
  });

  it('are the same after a restart, and removed with their session', () => {
    const fold = foldOf(['main', 'b', 1], ['main', 'a', -1]);
    const after = new OpenAcks();
    for (const { session, text } of checkpointParts(fold)) after.restore(session, JSON.parse(text));
    expect(after.list('main')).toEqual(fold.list('main'));
    after.apply({ ...record('main', '', 0), kind: 'forget' });
    expect(after.list('main')).toEqual([]);
  });
});
