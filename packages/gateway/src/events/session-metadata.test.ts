import { operations } from '@chat-web/protocol';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import type { NewRecord } from '../journal/frame.ts';
import { metadataNote, SessionMetadata } from './session-metadata.ts';

const apply = (fold: SessionMetadata, record: NewRecord) => fold.apply({ ...record, seq: 1, at: 0 });

it('is that of the newest record, ends with the session, and moves with it', () => {
  const here = new SessionMetadata();
  apply(here, metadataNote('main', { customer: '1' }));
  apply(here, metadataNote('main', { customer: '2', team: 'north' }));
  apply(here, metadataNote('shop', { team: 'south' }));
  expect(here.of('main')).toEqual({ customer: '2', team: 'north' });
  expect(here.textOf('main')).toBe('{"customer":"2","team":"north"}');
  const there = new SessionMetadata();
  for (const part of here.partsOf('main')) there.restore('main', v.parse(there.part, part));
  expect(there.of('main')).toEqual(here.of('main'));
  apply(here, metadataNote('shop', {}));
  apply(here, { kind: 'forget', name: '', session: 'main', key: '', text: '' });
  expect([...here.sessions(), ...here.partsOf('main')]).toEqual([]);
});

it.each<[string, unknown, string]>([
  ['21 pairs', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`n${n}`, ''])), 'metadata'],
  ['a long value', { customer: 'x'.repeat(501) }, 'metadata.customer'],
  ['a number', { customer: 1 }, 'metadata.customer'],
  ['no object', 'x', 'metadata'],
])('must not have %s', (_what, metadata, path) => {
  const { issues = [] } = v.safeParse(operations.setSessionMetadata.body, { metadata });
  expect(issues.map((issue) => v.getDotPath(issue))).toEqual([path]);
  expect(v.safeParse(operations.startSession.optionalBody, { metadata }).success).toBe(false);
});

it('must not have a name that is long, empty or no name', () => {
  for (const name of ['', 'a b', 'x'.repeat(41), 'ä', '0'])
    expect(v.safeParse(operations.setSessionMetadata.body, { metadata: { [name]: 'x' } }).success).toBe(false);
});
