import { describe, expect, it } from 'vitest';
import { isLinked, isLinking, type LinkEffect, type LinkEvent, NEW_LINK, next } from './link-state.ts';

const QR = '1,a,b,c,1';
const INFO = { pushname: 'Ada', wid: '12025550101@c.us', phone: '12025550101', platform: 'android' };
const CODE = { code: 'ABCD1234', expiresAt: '2026-01-01T00:00:00.000Z' };

const qr = (text = QR): LinkEvent => ({ name: 'qr', text });
const socket = (state: string): LinkEvent => ({ name: 'socket', state });
const screen = (passkey?: 'passkey' | 'phone', code?: 'renew' | 'end'): LinkEvent => ({
  name: 'screen',
  passkey,
  code,
});
const listening: LinkEvent = { name: 'listening' };
const account: LinkEvent = { name: 'account', info: INFO, isExpected: true };
/** Read before the page was listened to. */
const early: LinkEvent = { name: 'account', info: INFO, isExpected: false };
const READY = [listening, socket('CONNECTED'), account];

/** A link, and what follows from events. */
function link(...before: LinkEvent[]) {
  let state = NEW_LINK;
  let now = 1_000;
  const follow = (events: readonly LinkEvent[]) =>
    events.flatMap((event) => {
      const { state: changed, effects } = next(state, event, now);
      state = changed;
      return effects;
    });
  const short = (effect: LinkEffect) => {
    if (effect.type === 'report') return effect.event.name;
    return effect.type === 'set_qr_timer' ? `qr in ${effect.ms ?? 'no'} ms` : effect.type;
  };
  follow(before);
  return {
    after: (...events: LinkEvent[]) => follow(events).map(short),
    reports: (...events: LinkEvent[]) => follow(events).flatMap((it) => (it.type === 'report' ? it.event.name : [])),
    wait: (ms: number) => {
      now += ms;
    },
    get state() {
      return state;
    },
  };
}

describe('a page that is not linked', () => {
  it('shows each QR once, and makes everything until then history', () => {
    const page = link(socket('UNPAIRED'));
    expect(page.after(qr())).toEqual(['qr in 57000 ms', 'discard_history', 'render_qr']);
    expect(page.after(qr())).toEqual(['qr in 57000 ms']);
    expect(page.after({ name: 'qr_rendered', text: QR, image: 'data:' })).toEqual(['qr']);
    page.after(qr('2,a,b,c,1'));
    expect(page.after({ name: 'qr_rendered', text: QR, image: 'data:' })).toEqual([]); // Another is shown by now.
    for (const text of ['undefined,a,b', 'a,null'])
      expect(page.after(qr(text)), 'built before the page has its keys').toEqual(['qr in 57000 ms']);
  });

  it('is asked for a QR three times, and then unusable', () => {
    const page = link(socket('UNPAIRED'), qr());
    for (let time = 0; time < 3; time += 1)
      expect(page.after({ name: 'qr_due' })).toEqual(['request_qr', 'qr in 15000 ms']);
    expect(page.after({ name: 'qr_due' })).toEqual(['close', 'failed']);
  });

  it('is asked for a QR if it has stopped to renew it', () => {
    const page = link(qr());
    expect(page.after(socket('UNPAIRED_IDLE'))).toContain('request_qr');
    expect(page.after(socket('UNPAIRED_IDLE'))).toEqual([]); // Polled: `qr_due` requests the next one.
    expect(link({ name: 'code_requested' }).after(socket('UNPAIRED_IDLE'))).not.toContain('request_qr');
  });

  it('is linked by its QR; the number is reported while it syncs', () => {
    const page = link(socket('UNPAIRED'), qr());
    expect(page.after(socket('PAIRING'))).toEqual(['qr in no ms', 'forget_code', 'authenticating']);
    expect(page.after({ name: 'progress' })).toEqual(['progress']);
    expect(page.after(socket('CONNECTED'))).toEqual(['progress', 'qr in no ms', 'read_account']);
    expect(page.after(early)).toEqual(['account']);
    expect(page.after(early)).toEqual([]);
    expect([isLinked(page.state), isLinking(page.state)]).toEqual([true, true]);
    expect(page.after(listening, early, account)).toEqual(['read_account', 'forget_code', 'ready', 'became_ready']);
    expect(page.state.linkedAt).toBe(1_000);
  });

  it('is looked at again if a QR is due while it opens its connection', () => {
    const page = link(qr(), socket('OPENING'));
    expect(page.after({ name: 'qr_due' })).toEqual(['qr in 15000 ms']);
    expect(link(...READY).after({ name: 'qr_due' })).toEqual([]);
  });

  it('shows the same QR again after a failed pairing', () => {
    const page = link(socket('UNPAIRED'), qr(), socket('PAIRING'), socket('UNPAIRED'));
    expect(page.after(qr())).toContain('render_qr');
  });
});

describe('a page that requests a passkey', () => {
  it('is reported with each step, and not as linked meanwhile', () => {
    const page = link(socket('UNPAIRED'), qr());
    expect(page.reports(screen('passkey'), screen('passkey'), socket('PAIRING'), screen('phone'))).toEqual([
      'passkey',
      'passkey',
    ]);
    expect([page.state.passkey, isLinking(page.state), isLinked(page.state)]).toEqual(['phone', true, false]);
    expect(page.reports(screen())).toEqual(['authenticating']);
    expect(page.state.linkedAt).toBeGreaterThan(0);
    page.after(socket('CONNECTED'), screen('phone'));
    expect(page.state.passkey).toBeUndefined();
  });

  it.each([
    ['a QR from a moment ago is shown again', 4_999, ['qr_void', 'discard_history', 'render_qr']],
    ['a QR is requested later', 5_000, ['qr_void', 'qr in 60000 ms']],
  ])('may return to its QR: %s', (_, ms, effects) => {
    const page = link(socket('UNPAIRED'), qr(), screen('passkey'), qr());
    page.wait(ms);
    expect(page.after(screen())).toEqual(effects);
  });

  it('is not asked for a QR, and no longer requests it once it is reloaded', () => {
    const page = link(socket('UNPAIRED'), qr(), screen('passkey'));
    expect(page.after({ name: 'qr_due' })).toEqual([]);
    expect(page.reports({ name: 'reloaded' })).toEqual(['qr_void']);
    expect(page.state.passkey).toBeUndefined();
  });

  it('is not asked for a QR while the passkey that was just answered may still link it', () => {
    const page = link(socket('UNPAIRED'), qr(), screen('passkey'), socket('UNPAIRED_IDLE'));
    page.wait(60_000);
    expect(page.after(screen(), socket('UNPAIRED_IDLE'))).toEqual(['qr_void', 'qr in 60000 ms']);
  });

  it('drops a code that was requested meanwhile', () => {
    const page = link(socket('UNPAIRED'), screen('passkey'), { name: 'code_requested' });
    expect(page.after(screen('passkey'), screen('passkey'))).toEqual(['forget_code']);
  });

  it('is not looked for while the page starts or is ready', () => {
    expect(isLinking(NEW_LINK)).toBe(false);
    expect(link(...READY).after(screen('passkey'))).toEqual([]);
  });
});

describe('a pairing code', () => {
  it('makes the QR void, and is void once the page is reloaded', () => {
    const page = link(socket('UNPAIRED'), qr());
    expect(page.after({ name: 'code_requested' })).toEqual(['qr_void']);
    expect(page.after({ name: 'code', number: '12025550101', code: CODE })).toEqual(['pairing_code']);
    expect(page.after(qr('2,a,b,c,1'))).toEqual(['qr in 57000 ms']); // Held, and invalid after the code.
    expect(page.after({ name: 'reloaded' })).toEqual(['forget_code', 'pause', 'qr_void']);
    expect(page.state.hasCode).toBe(false);
  });

  it('ends, and the QR returns', () => {
    const page = link(socket('UNPAIRED'), qr(), { name: 'code_requested' });
    expect(page.after({ name: 'code_ended' }, { name: 'back_to_qr' })).toEqual(['qr_void', 'qr in 15000 ms']);
    expect(page.after(qr())).toContain('render_qr');
  });

  it('is renewed or ended by the network', () => {
    const page = link(socket('UNPAIRED'), { name: 'code_requested' });
    expect(page.after(screen(undefined, 'renew'), screen(undefined, 'end'))).toEqual(['renew_code', 'end_code']);
  });
});

describe('a linked page', () => {
  it('is ready once it is connected and listened to', () => {
    const page = link();
    expect(page.after(socket('OPENING'), { name: 'progress' })).toEqual(['progress', 'qr in no ms', 'progress']);
    expect(page.after(listening)).toEqual([]);
    expect(page.after(account)).toEqual([]);
    expect(page.reports(socket('CONNECTED'), account, account)).toEqual(['progress', 'authenticating', 'ready']);
  });

  it('fails if its account cannot be read while it is connected and listened to', () => {
    const unreadable: LinkEvent = { name: 'account_unreadable', detail: 'no wid' };
    expect(link(listening).after(unreadable)).toEqual([]);
    expect(link(listening, socket('CONNECTED')).after(unreadable)).toEqual(['close', 'failed']);
  });

  it.each([
    ['its connection', socket('TIMEOUT'), ['qr in no ms', 'pause', 'connection_lost']],
    ['its document', { name: 'reloaded' } as const, ['forget_code', 'pause', 'pause', 'connection_lost']],
  ])('is ready again after the loss of %s', (_, loss, effects) => {
    const page = link(...READY);
    expect(page.after(loss)).toEqual(effects);
    expect([page.state.phase, isLinked(page.state)]).toEqual(['offline', true]);
    expect(page.after(...READY).slice(-2)).toEqual(['ready', 'became_ready']);
  });

  it('reports a conflict once, also while it is offline', () => {
    const page = link(...READY, socket('TIMEOUT'));
    expect(page.reports(socket('CONFLICT'), socket('CONFLICT'), socket('TIMEOUT'))).toEqual(['connection_lost']);
  });
});

it.each([
  ['TOS_BLOCK', 'ACCOUNT_RESTRICTED', false],
  ['PROXYBLOCK', 'ACCOUNT_RESTRICTED', false],
  ['DEPRECATED_VERSION', 'PAGE_OUTDATED', true],
])('the socket state %s ends the session: %s', (state, reason, retry) => {
  const { effects } = next(NEW_LINK, socket(state), 0);
  expect(effects.at(-1)).toMatchObject({ event: { name: 'failed', reason, retry } });
});

it.each<[LinkEvent]>([[{ name: 'stopped' }], [{ name: 'unlinked' }], [{ name: 'failed', reason: 'PAGE_CRASHED' }]])(
  'nothing follows %j',
  (end) => {
    const page = link(socket('UNPAIRED'), qr());
    expect(page.after(end)[0]).toBe('close');
    expect(page.after(socket('CONNECTED'), ...READY, qr('2,b'), { name: 'reloaded' }, end)).toEqual([]);
  },
);
