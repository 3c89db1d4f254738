import { describe, expect, it } from 'vitest';
import { eventsOf, next, type SessionState, type StateEvent } from './session-state.ts';

const info = { pushname: 'Ann', wid: '12025550101@c.us', phone: '12025550101', platform: 'android' };
const states: SessionState[] = [
  { status: 'stopped' },
  { status: 'starting' },
  { status: 'qr', qr: 'data:image/png;base64,A' },
  { status: 'authenticating' },
  { status: 'ready', info },
  { status: 'disconnected', reason: 'TIMEOUT' },
  { status: 'failed', reason: 'no browser' },
];

function run(events: StateEvent[], from: SessionState = { status: 'stopped' }): SessionState {
  return events.reduce(next, from);
}

describe('next', () => {
  it('goes from nothing over qr and authenticating to ready', () => {
    const steps: StateEvent[] = [
      { type: 'start' },
      { type: 'qr', qr: 'data:image/png;base64,A' },
      { type: 'authenticating' },
    ];
    expect(run(steps)).toEqual({ status: 'authenticating' });
    expect(run([...steps, { type: 'ready', info }])).toEqual({ status: 'ready', info });
  });

  it.each(states)('stops from $status', (state) => {
    expect(next(state, { type: 'stop' })).toEqual({ status: 'stopped' });
  });

  it.each(states.filter(({ status }) => status !== 'stopped' && status !== 'failed'))(
    'changes nothing when $status is started again',
    (state) => {
      expect(next(state, { type: 'start' })).toBe(state);
    },
  );

  it('starts afresh from failed', () => {
    expect(next({ status: 'failed', reason: 'x' }, { type: 'start' })).toEqual({ status: 'starting' });
  });

  it.each(['stopped', 'failed'] as const)('takes no late word when %s', (status) => {
    const state = states.find((candidate) => candidate.status === status) as SessionState;
    expect(next(state, { type: 'ready', info })).toBe(state);
    expect(next(state, { type: 'crashed', reason: 'x' })).toBe(state);
  });

  it('is disconnected after a crash if it was up, and still starting if it never was', () => {
    expect(next({ status: 'ready', info }, { type: 'crashed', reason: 'x' }).status).toBe('disconnected');
    expect(next({ status: 'starting' }, { type: 'crashed', reason: 'x' })).toEqual({ status: 'starting', reason: 'x' });
    expect(next({ status: 'qr', qr: 'x' }, { type: 'crashed', reason: 'x' }).status).toBe('starting');
  });
});

describe('eventsOf', () => {
  it('tells a QR once', () => {
    const qr: SessionState = { status: 'qr', qr: 'data:image/png;base64,A' };
    expect(eventsOf({ status: 'starting' }, qr)).toEqual([{ name: 'qr', data: qr.qr }]);
    expect(eventsOf(qr, { ...qr })).toEqual([]);
    expect(eventsOf(qr, { ...qr, qr: 'data:image/png;base64,B' })).toHaveLength(1);
  });

  it('tells of ready once, without the platform', () => {
    expect(eventsOf({ status: 'authenticating' }, { status: 'ready', info })).toEqual([
      { name: 'ready', data: { pushname: 'Ann', wid: '12025550101@c.us', phone: '12025550101' } },
    ]);
    expect(eventsOf({ status: 'ready', info }, { status: 'ready', info })).toEqual([]);
  });

  it('tells of a loss once, with its reason', () => {
    const lost: SessionState = { status: 'disconnected', reason: 'TIMEOUT' };
    expect(eventsOf({ status: 'ready', info }, lost)).toEqual([{ name: 'disconnected', data: { reason: 'TIMEOUT' } }]);
    expect(eventsOf(lost, { status: 'disconnected', reason: 'OPENING' })).toEqual([]);
    expect(eventsOf(lost, { status: 'disconnected', reason: 'LOGOUT' })).toHaveLength(1);
    expect(eventsOf({ status: 'ready', info }, { status: 'stopped' })).toEqual([
      { name: 'disconnected', data: { reason: 'STOPPED' } },
    ]);
    expect(eventsOf({ status: 'qr', qr: 'x' }, { status: 'stopped' })).toEqual([]);
  });
});
