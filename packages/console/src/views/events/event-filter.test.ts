import type { EventName, ListenedEvent } from '@chat-web/host';
import { describe, expect, it } from 'vitest';
import { type EventFilter, isNarrower, namedSessions, passes } from './event-filter.ts';

const message = {
  id: '5f-7',
  session: 'shop-1',
  at: '2026-11-23T08:00:00.000Z',
  name: 'message',
  data: { id: 'false_12025550102@c.us_3A00', from: '12025550102@c.us', to: '12025550101@c.us', body: 'secret' },
} as ListenedEvent;
const gap = { id: '5f-8', session: undefined, at: '', name: 'gap', data: {} } as ListenedEvent;
const all: EventFilter = { names: new Set<EventName>(['message', 'gap']), sessions: '', text: '' };

describe('the filter of events', () => {
  it.each([
    [{}, true],
    [{ names: new Set<EventName>(['ready']) }, false],
    [{ sessions: 'main, shop-*' }, true],
    [{ sessions: 'shop' }, false],
    [{ text: '3a00' }, true],
    [{ text: ' 12025550102 ' }, true],
    [{ text: '5f-7' }, true],
    [{ text: 'secret' }, false],
  ])('%j: %s', (change, isShown) => {
    expect(passes({ ...all, ...change }, message)).toBe(isShown);
  });

  it('shows gaps of all sessions', () => {
    expect(passes({ ...all, sessions: 'main' }, gap)).toBe(true);
  });

  it('requests only these sessions from the gateway if all are named', () => {
    expect(namedSessions(' main,shop-1 ')).toEqual(['main', 'shop-1']);
    expect([namedSessions(''), namedSessions('main shop-*'), namedSessions('a/b')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    [{}, true],
    [{ names: new Set<EventName>(['gap']) }, true],
    [{ names: new Set<EventName>(['ready']) }, false],
    [{ sessions: 'main' }, true],
    [{ text: ' 5F' }, true],
  ])('applies %j without reading again: %s', (change, isKnown) => {
    expect(isNarrower({ ...all, ...change }, all)).toBe(isKnown);
    expect(isNarrower(all, { ...all, text: '5f' })).toBe(false);
    expect(isNarrower({ ...all, sessions: 'main' }, { ...all, sessions: 'shop-*' })).toBe(false);
  });
});
