import type { PasskeyStep, SessionEvent } from '@chat-web/protocol';
import { MINUTE_MS, SECOND_MS } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import {
  type Circumstances,
  type Effect,
  isBeingLinked,
  newSession,
  next,
  type Phase,
  type Report,
  type RunFailure,
  type SessionState,
  type StateEvent,
  wasMute,
} from './session-state.ts';

const info = { pushname: 'Ann', wid: '12025550101@c.us', phone: '12025550101', platform: 'android' };
const reported = (report: Report): StateEvent => ({ name: 'reported', report });
const qr = (image = 'A') => reported({ name: 'qr', qr: `data:image/png;base64,${image}` });
const start: StateEvent = { name: 'start', byHand: true };
const stop: StateEvent = { name: 'stop', unlink: false, timeoutMs: 7 };
const authenticating = reported({ name: 'authenticating' });
const ready = reported({ name: 'ready', info });
const passkey = (step: PasskeyStep = 'passkey') => reported({ name: 'passkey', step });
const unlinked = reported({ name: 'unlinked' });
const lost = (pageState = 'TIMEOUT') => reported({ name: 'connection_lost', pageState });
const crash = (failure: Partial<RunFailure> = {}) =>
  reported({
    name: 'run_failed',
    failure: { cause: { reason: 'WORKER_EXITED', detail: 'code 1' }, retry: true, wasUp: true, ...failure },
  });
const ended: StateEvent = { name: 'run_ended' };
const due: StateEvent = { name: 'retry_due' };
const code = (text = 'ABCD1234', expiresAt = new Date(3 * MINUTE_MS).toISOString()) =>
  reported({ name: 'pairing_code', number: '12025550101', code: text, expiresAt });
const reasonOf = ({ phase }: SessionState) => ('cause' in phase ? phase.cause?.reason : undefined);

const END: Effect = { type: 'end_run', unlink: false, timeoutMs: 10_000 };
const WIPE: Effect = { type: 'wipe' };
const START: Effect = { type: 'start_run', byHand: true };

class Subject {
  state = newSession(new Date(0), undefined);
  /** The events that the last transition published. */
  events: readonly SessionEvent[] = [];
  effects: readonly Effect[] = [];
  now = 0;
  hasAuth = false;
  readonly config: Circumstances['config'];

  constructor(config: Partial<Circumstances['config']> = {}) {
    this.config = { qrTimeoutMs: 60_000, reconnectTimeoutMs: 120_000, takeOverOnConflict: false, ...config };
  }

  after(...events: StateEvent[]): this {
    for (const event of events) {
      const { now, hasAuth, config } = this;
      const date = new Date(now);
      const transition = next(this.state, event, { now, date, random: () => 1, hasAuth, config });
      this.state = transition.state;
      this.events = transition.events;
      this.effects = transition.effects;
    }
    return this;
  }
}

function linked(config: Partial<Circumstances['config']> = {}): Subject {
  const subject = new Subject(config).after(start, qr(), authenticating, ready);
  subject.hasAuth = true;
  return subject;
}

describe('a start', () => {
  it('goes through qr and authenticating to ready', () => {
    const subject = new Subject().after(start);
    expect(subject.state.phase).toEqual({ status: 'starting' });
    expect(subject.effects).toEqual([END, START]);
    expect(subject.after(qr()).state.phase).toEqual({ status: 'qr', qr: 'data:image/png;base64,A' });
    expect(subject.after(authenticating).state.phase).toEqual({ status: 'authenticating' });
    subject.now = 5 * SECOND_MS;
    expect(subject.after(ready).state).toMatchObject({
      phase: { status: 'ready', info },
      since: new Date(5 * SECOND_MS),
    });
  });

  it('changes nothing for a running session', () => {
    for (const subject of [new Subject().after(start), new Subject().after(start, qr()), linked()]) {
      const { state } = subject;
      expect(subject.after(start).state).toBe(state);
      expect(subject.effects).toEqual([]);
    }
  });

  it('restarts after the gateway has given up', () => {
    const subject = linked().after(crash({ retry: false }), ended);
    expect(subject.state.phase.status).toBe('failed');
    expect(subject.after(start).state.phase).toEqual({ status: 'starting' });
  });
});

describe('a stop', () => {
  const phases: Phase[] = [
    { status: 'stopped' },
    { status: 'starting' },
    { status: 'qr', qr: 'data:image/png;base64,A' },
    { status: 'authenticating' },
    { status: 'ready', info },
    { status: 'disconnected', cause: { reason: 'CONNECTION_LOST' } },
    { status: 'failed', cause: { reason: 'LAUNCH_FAILED' } },
  ];

  it.each(phases)('goes from $status to stopped, and ends the run', (phase) => {
    const subject = linked();
    subject.state = { ...subject.state, phase };
    expect(subject.after(stop).state.phase).toEqual({ status: 'stopped' });
    expect(subject.effects).toEqual([{ ...END, timeoutMs: 7 }]);
  });

  it('wipes a session that was never ready', () => {
    expect(new Subject().after(start, qr(), stop).effects).toEqual([{ ...END, timeoutMs: 7 }, WIPE]);
  });

  it('unlinks only a session that is ready', () => {
    const remove: StateEvent = { name: 'stop', unlink: true, timeoutMs: 7 };
    expect(linked().after(remove).effects).toEqual([{ type: 'end_run', unlink: true, timeoutMs: 7 }, WIPE]);
    expect(linked().after(lost(), remove).effects).toEqual([{ ...END, timeoutMs: 7 }, WIPE]);
  });

  it.each([ready, qr(), crash(), ended, due, { name: 'effects_failed', detail: '' } as const])(
    'ignores late events: $name',
    (late) => {
      const { state } = linked().after(stop);
      const subject = linked();
      subject.state = state;
      expect(subject.after(late).state).toBe(state);
      expect(subject.effects).toEqual([]);
    },
  );
});

describe('a crash', () => {
  it('leaves a session disconnected if it was up, and starting if it never was', () => {
    expect(linked().after(crash()).state.phase).toEqual({
      status: 'disconnected',
      cause: { reason: 'WORKER_EXITED', detail: 'code 1' },
    });
    expect(new Subject().after(start, crash()).state.phase.status).toBe('starting');
    expect(new Subject().after(start, qr(), crash()).state.phase.status).toBe('starting');
  });

  it('ends the run at once, and starts another after a growing delay, counted from the end of the run', () => {
    const subject = linked();
    const delays = [1, 2, 3].map(() => {
      subject.after(crash());
      expect(subject.effects).toEqual([END]);
      expect(subject.state.retry).toBeUndefined();
      const delay = subject.after(ended).state.retry?.ms;
      expect(subject.after(due).effects).toEqual([END, { ...START, byHand: false }]);
      subject.after(ready);
      return delay;
    });
    expect(delays).toEqual([SECOND_MS, 2 * SECOND_MS, 4 * SECOND_MS]);
    expect(subject.state.restarts).toEqual({ WORKER_EXITED: 3 });
    expect(subject.state.retry).toBeUndefined();
  });

  it('is forgotten after five minutes of ready, and on a requested restart', () => {
    const subject = linked().after(crash(), ended, due, ready);
    subject.now = 5 * MINUTE_MS;
    expect(subject.after(crash(), ended).state.retry?.ms).toBe(SECOND_MS);
    expect(subject.after(due, ready, crash(), ended).state.retry?.ms).toBe(2 * SECOND_MS);
    subject.after({ name: 'restart', reason: 'REQUESTED' });
    expect(subject.state.retry).toBeUndefined();
    expect(subject.after(ended, ready, crash(), ended).state.retry?.ms).toBe(SECOND_MS);
  });

  it('is retried later if nothing was started, or the page lacks an essential part', () => {
    const refused = crash({ cause: { reason: 'START_REFUSED' }, wasUp: false });
    const subject = linked().after(refused, ended);
    expect(subject.state.retry?.ms).toBe(30 * SECOND_MS);
    expect(subject.after(due).state.restarts).toEqual({});
    expect(linked().after(crash({ cause: { reason: 'PAGE_UNSUPPORTED' } }), ended).state.retry?.ms).toBe(
      60 * MINUTE_MS,
    );
  });

  it('fails if no retry would help', () => {
    const subject = linked().after(crash({ cause: { reason: 'ACCOUNT_RESTRICTED' }, retry: false }));
    expect(subject.effects).toEqual([END]);
    expect(subject.state.phase.status).toBe('disconnected');
    expect(subject.after(ended).state.phase).toEqual({ status: 'failed', cause: { reason: 'ACCOUNT_RESTRICTED' } });
    expect(subject.state.retry).toBeUndefined();
    expect(subject.events).toEqual([]);
  });

  it('is retried if its effects failed', () => {
    const subject = linked().after(crash(), { name: 'effects_failed', detail: 'ENOSPC' });
    expect(subject.state.retry).toMatchObject({ ms: 30 * SECOND_MS, reason: 'RECOVERY_FAILED' });
    expect(subject.state.phase).toEqual({
      status: 'disconnected',
      cause: { reason: 'RECOVERY_FAILED', detail: 'ENOSPC' },
    });
  });
});

describe('a lost connection', () => {
  it('is a failed run if the page has not reconnected in time', () => {
    const subject = linked().after(lost());
    expect(subject.state.phase).toMatchObject({ status: 'disconnected', cause: { reason: 'CONNECTION_LOST' } });
    expect(subject.state.reconnect?.ms).toBe(120_000);
    expect(subject.after({ name: 'reconnect_due' }).effects).toMatchObject([
      { type: 'fail_run', cause: { reason: 'CONNECTION_LOST', detail: 'TIMEOUT, and did not reconnect within 120 s' } },
    ]);
    expect(linked().after(lost(), ready).state.reconnect).toBeUndefined();
  });

  it('that is a conflict is not recovered, even if the worker crashes', () => {
    const subject = linked().after(lost('CONFLICT'));
    expect(reasonOf(subject.state)).toBe('CONFLICT');
    expect(subject.state.reconnect).toBeUndefined();
    subject.after(crash(), ended);
    expect(subject.state.phase).toEqual({
      status: 'failed',
      cause: { reason: 'CONFLICT', detail: 'not restarted, although the worker exited: code 1' },
    });
    expect(subject.events).toMatchObject([{ name: 'disconnected', data: { reason: 'CONFLICT' } }]);
  });

  it('that is a conflict ends the other use up to three times an hour if configured', () => {
    const subject = linked({ takeOverOnConflict: true });
    const waits = [1, 2, 3, 4].map(() => {
      subject.after(lost('CONFLICT'));
      const wait = subject.state.reconnect?.ms ?? 0;
      subject.now += wait;
      subject.after({ name: 'reconnect_due' });
      expect(subject.effects).toEqual([END, START]);
      subject.after(ready);
      return wait;
    });
    expect(waits).toEqual([30 * SECOND_MS, 30 * SECOND_MS, 30 * SECOND_MS, 59 * MINUTE_MS]);
    expect(subject.state.restarts).toEqual({ CONFLICT: 4 });
  });
});

describe('an unlink', () => {
  it('wipes the auth after the browser has ended, and asks for a fresh QR', () => {
    const subject = linked().after(unlinked);
    expect(reasonOf(subject.state)).toBe('LOGOUT');
    expect(subject.effects).toEqual([END, WIPE, START]);
  });

  it('on request unlinks the phone first, and only while the session is ready', () => {
    const subject = linked().after({ name: 'logout' });
    expect(reasonOf(subject.state)).toBe('LOGOUT');
    expect(subject.effects).toEqual([{ ...END, unlink: true }, WIPE, START]);
    expect(subject.after({ name: 'logout' }).effects).toEqual([]);
  });

  it('is also a QR despite saved auth, and counts once however often it is reported', () => {
    const subject = linked().after(stop, start, qr(), qr('B'), unlinked);
    expect(subject.effects).toEqual([]);
    expect(subject.state).toMatchObject({ phase: { status: 'disconnected' }, restarts: { LOGOUT: 1 } });
  });

  it('is reported once, however often the wipe fails', () => {
    const subject = linked();
    const events = [subject.after(unlinked).events];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      events.push(subject.after(ended, { name: 'effects_failed', detail: 'ENOSPC' }).events);
      events.push(subject.after(due, qr()).events);
      expect(subject.effects).toEqual([END, WIPE, START]);
    }
    expect(events.flat()).toMatchObject([{ name: 'disconnected', data: { reason: 'LOGOUT' } }]);
  });

  it('continues if the run fails before it has ended', () => {
    const subject = linked().after(unlinked, crash({ retry: false }));
    expect(subject.effects).toEqual([]);
    expect(subject.after(ended).state).toMatchObject({
      phase: { status: 'disconnected', cause: { reason: 'LOGOUT' } },
      retry: undefined,
    });
  });
});

describe('the wait for a scan', () => {
  it('begins with the first QR, continues across a crash, and stops the session', () => {
    const subject = new Subject().after(start, qr());
    const { scan } = subject.state;
    expect(scan?.ms).toBe(60_000);
    expect(subject.after(qr('B'), crash(), ended, due).state.scan).toBe(scan);
    subject.after({ name: 'scan_due' });
    expect(subject.state.phase).toEqual({ status: 'stopped', cause: { reason: 'QR_TIMEOUT' } });
    expect(subject.effects).toEqual([END, WIPE]);
    expect(subject.events).toEqual([
      { name: 'disconnected', data: { reason: 'QR_TIMEOUT', message: 'the QR was not scanned in time' } },
    ]);
  });

  it('ends with the scan, and restarts with a requested restart of the session', () => {
    const subject = new Subject().after(start, qr(), authenticating);
    expect(subject.state.scan).toBeUndefined();
    expect(subject.after({ name: 'scan_due' }).effects).toEqual([]);
    const other = new Subject().after(start, qr(), { name: 'restart', reason: 'REQUESTED' });
    expect(other.state.scan).toBeUndefined();
    expect(other.after({ name: 'scan_due' }).state.phase.status).toBe('starting');
  });
});

describe('a pairing code', () => {
  const shown = { code: 'ABCD1234', expiresAt: new Date(3 * MINUTE_MS).toISOString() };

  it('replaces the QR, and is reported once, and each time it is renewed', () => {
    const subject = new Subject().after(start, qr(), reported({ name: 'qr_void' }));
    expect(subject.state.phase).toEqual({ status: 'qr' });
    expect(subject.events).toEqual([]);
    expect(subject.after(code()).state.phase).toEqual({ status: 'qr', code: shown });
    expect(subject.events).toEqual([{ name: 'pairing_code', data: shown }]);
    expect(subject.after(code()).events).toEqual([]);
    expect(subject.after(code('WXYZ1234')).events).toHaveLength(1);
    expect(subject.after(reported({ name: 'qr_void' }), qr()).events).toMatchObject([{ name: 'qr' }]);
    expect(subject.state.phase).toEqual({ status: 'qr', qr: 'data:image/png;base64,A' });
  });

  it('names the number that the session is being linked to, until it is linked or shows a QR', () => {
    const subject = new Subject().after(start, qr(), code());
    expect(subject.state.linkingNumber).toBe('12025550101');
    expect(subject.after(passkey(), authenticating, crash(), ended, due).state.linkingNumber).toBe('12025550101');
    expect(subject.after(qr()).state.linkingNumber).toBeUndefined();
    const number = '12025550102';
    subject.after(authenticating, reported({ name: 'account', number }));
    expect(subject.state).toMatchObject({ phase: { status: 'authenticating' }, linkingNumber: number });
    expect(subject.after(unlinked).state.linkingNumber).toBeUndefined();
    subject.after(ended, start, qr());
    expect(subject.after(code(), stop).state.linkingNumber).toBeUndefined();
  });

  it('releases its number once the session has failed, or its folder is gone, and it was not linked', () => {
    const failed = [crash({ retry: false }), ended];
    expect(new Subject().after(start, qr(), code(), ...failed).state).toMatchObject({
      phase: { status: 'failed' },
      linkingNumber: undefined,
    });
    const syncing = new Subject().after(start, qr(), code(), authenticating);
    expect(syncing.after(...failed).state.linkingNumber).toBe('12025550101');
    const gone = new Subject().after(start, qr(), code(), authenticating, ready, { name: 'moved' });
    expect(gone.after({ name: 'arrived' }).state.linkingNumber).toBeUndefined();
    const kept = linked();
    kept.state = { ...kept.state, linkingNumber: '12025550101' };
    expect(kept.after(...failed).state.linkingNumber).toBe('12025550101');
  });

  it('can be typed until it expires, then the session stops as without a scan', () => {
    const subject = new Subject().after(start, qr());
    subject.now = 59 * SECOND_MS;
    expect(subject.after(code()).state.scan?.until).toEqual(new Date(3 * MINUTE_MS));
    expect(subject.after({ name: 'scan_due' }).events).toMatchObject([{ data: { reason: 'QR_TIMEOUT' } }]);
    for (const never of ['9999-12-31T23:59:59.999Z', '2026-99-99T00:00:00Z'])
      expect(new Subject().after(start, code('ABCD1234', never)).state.scan?.ms).toBeLessThanOrEqual(10 * MINUTE_MS);
    const patient = new Subject({ qrTimeoutMs: 10 * MINUTE_MS }).after(start, qr(), code());
    expect(patient.state.scan?.until).toEqual(new Date(10 * MINUTE_MS));
  });

  it('is ignored for a linked session', () => {
    for (const event of [code(), reported({ name: 'qr_void' })])
      expect(linked().after(event).state.phase.status).toBe('ready');
  });
});

describe('a passkey', () => {
  it('is requested instead of a QR, and reported once per step', () => {
    const subject = new Subject().after(start, qr(), passkey());
    expect(subject.state.phase).toMatchObject({ status: 'qr', cause: { reason: 'PASSKEY_REQUIRED' } });
    expect(subject.state.phase).not.toHaveProperty('qr');
    expect(subject.events).toEqual([
      {
        name: 'passkey_required',
        data: { message: expect.stringMatching(/^linking needs the passkey .*chat-web link/) },
      },
    ]);
    expect(subject.after(passkey()).events).toEqual([]);
    expect(subject.after(passkey('phone')).events).toHaveLength(1);
    expect(subject.after(passkey('code')).events).toHaveLength(1);
    expect(subject.effects).toEqual([]);
  });

  it('ends with the link, with a QR, or with a restart', () => {
    const subject = new Subject().after(start, qr(), passkey());
    expect(subject.after(qr()).state.phase).toEqual({ status: 'qr', qr: 'data:image/png;base64,A' });
    expect(subject.events).toMatchObject([{ name: 'qr' }]);
    expect(reasonOf(subject.after(passkey(), authenticating).state)).toBeUndefined();
    expect(subject.state.phase.status).toBe('authenticating');
    expect(subject.after(passkey()).state.phase.status).toBe('qr');
    expect(subject.after({ name: 'restart', reason: 'REQUESTED' }, ended, qr()).state.phase).toMatchObject({
      status: 'qr',
    });
    expect(reasonOf(subject.state)).toBeUndefined();
  });

  it('may take as long as the network waits for it, then the session stops with the reason', () => {
    const subject = new Subject().after(start, qr());
    expect(subject.state.scan?.ms).toBe(MINUTE_MS);
    subject.now = 50 * SECOND_MS;
    const { scan } = subject.after(passkey()).state;
    expect(scan?.until).toEqual(new Date(50 * SECOND_MS + 10 * MINUTE_MS));
    subject.now = 9 * MINUTE_MS;
    expect(subject.after(passkey('phone')).state.scan).toBe(scan);
    subject.after({ name: 'scan_due' });
    expect(subject.state.phase.status).toBe('stopped');
    expect(subject.events).toMatchObject([
      { data: { reason: 'QR_TIMEOUT', message: expect.stringContaining('passkey') } },
    ]);
    const patient = new Subject({ qrTimeoutMs: 60 * MINUTE_MS }).after(start, qr(), passkey());
    expect(patient.state.scan?.ms).toBe(60 * MINUTE_MS);
  });

  it('is ignored for a linked session', () => {
    const { state } = linked();
    const subject = linked();
    expect(subject.after(passkey()).state.phase).toEqual(state.phase);
  });
});

describe('the moment of the link', () => {
  it('is the first sign of it, also for the run that retries the first sync', () => {
    const subject = new Subject().after(start, qr());
    subject.now = 1 * SECOND_MS;
    subject.after(authenticating);
    subject.now = 9 * SECOND_MS;
    subject.after(crash(), ended, due, authenticating);
    expect(subject.state.linkedAt).toEqual(new Date(1 * SECOND_MS));
  });

  it('is forgotten if the pairing fails, and with the auth', () => {
    const subject = () => new Subject().after(start, qr(), authenticating);
    expect(subject().after(qr('B')).state.linkedAt).toBeUndefined();
    expect(subject().after(unlinked).state.linkedAt).toBeUndefined();
    expect(subject().after(stop).state.linkedAt).toBeUndefined();
  });
});

describe('a restart for unconfirmed sends', () => {
  const mute = crash({ cause: { reason: 'PAGE_MUTE' } });

  it('is remembered for a day, whatever other restarts follow', () => {
    const subject = linked();
    expect(wasMute(subject.state, 0)).toBe(false);
    const { state } = subject
      .after(mute, ended, due, ready, crash(), ended, due, ready)
      .after({ name: 'restart', reason: 'RECYCLED' });
    expect(wasMute(state, 24 * 60 * MINUTE_MS - 1)).toBe(true);
    expect(wasMute(state, 24 * 60 * MINUTE_MS)).toBe(false);
  });

  it('is forgotten on a requested restart, and when another account may be linked', () => {
    expect(wasMute(linked().after(mute, ended, { name: 'restart', reason: 'REQUESTED' }).state, 0)).toBe(false);
    expect(wasMute(linked().after(mute, ended, unlinked).state, 0)).toBe(false);
  });
});

it('a session is being linked until the link is saved, also during a repeated first sync, but not with a QR', () => {
  const scanned = new Subject().after(start, qr(), authenticating);
  expect(isBeingLinked(new Subject().after(start, qr()).state)).toBe(false);
  for (const events of [[], [lost()], [crash()], [crash(), ended, due]])
    expect(isBeingLinked(scanned.after(...events).state)).toBe(true);
  expect(isBeingLinked(scanned.after(qr()).state)).toBe(false);
  expect(isBeingLinked(scanned.after(stop).state)).toBe(false);
});

describe('a session that has moved', () => {
  const moved = () => linked().after(stop, ended, { name: 'moved' });

  it('is reported once, when its archive may leave, and not before', () => {
    expect(linked().after(stop).events).toMatchObject([{ name: 'disconnected', data: { reason: 'STOPPED' } }]);
    expect(moved().events).toMatchObject([{ name: 'disconnected', data: { reason: 'MOVED' } }]);
    expect(moved().after({ ...stop, unlink: true }).events).toEqual([]);
    expect(moved().state).toMatchObject({ phase: { status: 'moved', cause: { reason: 'MOVED' } }, retry: undefined });
  });

  it('cannot be started, restarted, stopped or recovered', () => {
    const before = moved();
    const { state } = before;
    for (const event of [start, { ...start, byHand: false }, stop, due, ended, crash(), ready, qr(), unlinked]) {
      expect(before.after(event).state).toEqual(state);
      expect(before.effects).toEqual([]);
    }
    expect(before.after({ name: 'restart', reason: 'REQUESTED' }).effects).toEqual([]);
  });

  it('is wiped when it is deleted, without being unlinked', () => {
    expect(moved().after({ ...stop, unlink: true }).effects).toEqual([{ ...END, timeoutMs: 7 }, WIPE]);
  });

  it('may start again once it was taken back, or replaced by an import', () => {
    expect(moved().after({ name: 'arrived' }, start).effects).toEqual([END, START]);
  });

  it('is moved from the start if the gateway has recorded it as moved', () => {
    expect(newSession(new Date(1), new Date(0))).toMatchObject({ phase: { status: 'moved' }, since: new Date(0) });
  });
});

describe('the streams', () => {
  it('get a QR once', () => {
    const subject = new Subject().after(start, qr());
    expect(subject.events).toEqual([{ name: 'qr', data: 'data:image/png;base64,A' }]);
    expect(subject.after(qr()).events).toEqual([]);
    expect(subject.after(qr('B')).events).toHaveLength(1);
  });

  it('get ready once, without the platform', () => {
    const subject = linked();
    expect(subject.events).toEqual([
      { name: 'ready', data: { pushname: 'Ann', wid: '12025550101@c.us', phone: '12025550101' } },
    ]);
    expect(subject.after(ready).events).toEqual([]);
  });

  it('get a loss once, with its reason and a sentence', () => {
    const subject = linked().after(lost());
    expect(subject.events).toEqual([
      {
        name: 'disconnected',
        data: { reason: 'CONNECTION_LOST', message: 'the page lost its connection to the network: TIMEOUT' },
      },
    ]);
    expect(subject.after(lost('OPENING')).events).toEqual([]);
    expect(subject.after(crash()).events).toEqual([]);
    expect(subject.after(ended, due, unlinked).events).toHaveLength(1);
  });

  it('get each unlinked account once, however often its folder cannot be removed', () => {
    const expected = [{ name: 'disconnected', data: { reason: 'LOGOUT' } }];
    const subject = linked();
    expect(subject.after(unlinked).events).toMatchObject(expected);
    expect(subject.after(ended, { name: 'effects_failed', detail: 'EBUSY' }, due, ended, qr()).events).toEqual([]);
    subject.hasAuth = false;
    expect(subject.after(ended, qr(), authenticating, unlinked).events).toMatchObject(expected);
  });

  it('get a stop if the session was ready, and every session that has failed', () => {
    expect(linked().after(stop).events).toMatchObject([{ name: 'disconnected', data: { reason: 'STOPPED' } }]);
    expect(new Subject().after(start, qr(), stop).events).toEqual([]);
    const given = [{ name: 'disconnected', data: { reason: 'WORKER_EXITED' } }];
    for (const before of [[], [qr()], [authenticating], [authenticating, ready, lost()]])
      expect(new Subject().after(start, ...before, crash({ retry: false }), ended).events).toMatchObject(given);
  });
});
