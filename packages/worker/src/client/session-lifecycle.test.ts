import type { OpenAck, WorkerEvent } from '@chat-web/protocol';
import { eventually } from '@chat-web/testing';
import { describe, expect, it, vi } from 'vitest';
import { messageModel } from '../testing/fake-page.ts';
import { Capabilities } from './capabilities.ts';
import { AccountEvents } from './inbox/account-events.ts';
import { Inbox } from './inbox/inbox.ts';
import { PageReport } from './page-report.ts';
import { SessionLifecycle } from './session-lifecycle.ts';

const NOW = 1_800_000_000;
const account = { pushname: 'Ada', wid: '12025550101@c.us' };

const model = (id: string) => messageModel({ id, fromMe: false, from: 'a@c.us', body: id, t: NOW });

/** The lifecycle of a session whose page has these messages and acks. */
function session(openAcks: readonly OpenAck[] = [], acksInPage: Readonly<Record<string, unknown>> = {}) {
  const held: string[] = [];
  const reported: string[] = [];
  const report = (event: WorkerEvent) => {
    if (event.name === 'message_ack') acks.push([event.id, event.ack]);
    if (event.name !== 'caught_up') reported.push(event.name === 'message' ? event.message.id : event.name);
  };
  const log = vi.fn();
  const page = {
    load: async () => 0,
    hasChanged: async () => false,
    inboundSince: async () => held.map((id) => ({ id, isNew: true })),
    models: async (ids: readonly string[]) => ids.map(model),
  };
  const acks: unknown[] = [];
  const readAcks = vi.fn(async (ids: readonly string[]) =>
    ids.flatMap((id) => (id in acksInPage ? [{ id, ack: acksInPage[id] }] : [])),
  );
  const newAcks: { id: string; ack: unknown }[] = [];
  const readNewAcks = async () => newAcks;
  const sources = { readAccount: async () => account, renderQr: async () => '', readAcks, readNewAcks };
  const inbox = new Inbox(report, page, log, NOW);
  const lifecycle = new SessionLifecycle(
    report,
    sources,
    inbox,
    new AccountEvents(report, async () => [], log, NOW, 0),
    new PageReport(report, new Capabilities(), log),
    log,
    openAcks,
  );
  const up = async () => {
    lifecycle.onListenersAttached();
    lifecycle.onSocketState('CONNECTED');
    await eventually(() => expect(lifecycle.isReady).toBe(true));
    await new Promise(setImmediate);
  };
  return { lifecycle, held, reported, acks, readAcks, newAcks, log, page, up };
}

describe('a page that requests a passkey', () => {
  it('is reported with each step, and not as linked meanwhile', async () => {
    const { lifecycle, reported } = session();
    lifecycle.onSocketState('UNPAIRED');
    lifecycle.onQr('1,a,b,c,1');
    await new Promise(setImmediate);
    lifecycle.onPasskey('passkey');
    lifecycle.onPasskey('passkey');
    lifecycle.onSocketState('PAIRING');
    lifecycle.onPasskey('phone');
    expect(reported).toEqual(['qr', 'passkey', 'passkey']);
    expect([lifecycle.asksForPasskey, lifecycle.isLinking, lifecycle.isLinked]).toEqual([true, true, false]);
    lifecycle.onPasskey(undefined);
    expect(reported.at(-1)).toBe('authenticating');
    expect(lifecycle.linkedAt).toBeGreaterThan(0);
    lifecycle.onSocketState('CONNECTED');
    lifecycle.onPasskey('phone');
    expect(lifecycle.asksForPasskey).toBe(false);
  });

  it('may return to a QR, even the same, and ends when the page is reloaded', async () => {
    const { lifecycle, reported } = session();
    lifecycle.onSocketState('UNPAIRED');
    for (let time = 0; time < 2; time += 1) {
      lifecycle.onQr('1,a,b,c,1');
      await new Promise(setImmediate);
      lifecycle.onPasskey('passkey');
      lifecycle.onPasskey(undefined);
    }
    expect(reported).toEqual(['qr', 'passkey', 'qr_void', 'qr', 'passkey', 'qr_void']);
    lifecycle.onPasskey('passkey');
    lifecycle.onPageReloaded();
    expect(lifecycle.asksForPasskey).toBe(false);
    expect(reported.slice(-2)).toEqual(['passkey', 'qr_void']);
  });

  it('invalidates a pairing code when it is reloaded', () => {
    const { lifecycle, reported } = session();
    lifecycle.onSocketState('UNPAIRED');
    lifecycle.onCode('12025550101', { code: 'ABCD1234', expiresAt: '2026-01-01T00:00:00.000Z' });
    lifecycle.onPageReloaded();
    expect(reported).toEqual(['pairing_code', 'qr_void']);
  });

  it('is not looked for while the session is ready', async () => {
    const { lifecycle, up } = session();
    expect(lifecycle.isLinking).toBe(false);
    await up();
    expect(lifecycle.isLinking).toBe(false);
  });
});

describe('acks that increased while no worker ran', () => {
  it('are reported once, when the session is first ready', async () => {
    const known = Array.from({ length: 120 }, (_, n): OpenAck => ({ id: `${n}`, ack: 1 }));
    const { lifecycle, acks, readAcks, up } = session(known, { 3: 2, 7: 1, 60: 0, 70: 'x', 110: 3, 119: -1 });
    await up();
    await eventually(() => expect(readAcks).toHaveBeenCalledTimes(3));
    await new Promise(setImmediate);
    expect(acks).toEqual([
      ['3', 2],
      ['110', 3],
      ['119', -1],
    ]);
    lifecycle.onPageReloaded();
    await up();
    expect(readAcks).toHaveBeenCalledTimes(3);
  });

  it('are also reported for unknown messages, whenever a page is new', async () => {
    const { lifecycle, acks, newAcks, up } = session();
    newAcks.push({ id: 'a', ack: 1 }, { id: 'b', ack: 'x' });
    await up();
    await eventually(() => expect(acks).toEqual([['a', 1]]));
    newAcks.push({ id: 'c', ack: 2 });
    lifecycle.onPageReloaded();
    await up();
    await eventually(() =>
      expect(acks.slice(1)).toEqual([
        ['a', 1],
        ['c', 2],
      ]),
    );
  });

  it('are reported by the next catch-up if the page is gone meanwhile', async () => {
    const { lifecycle, acks, readAcks, up } = session([{ id: 'a', ack: 1 }], { a: 3 });
    readAcks.mockRejectedValueOnce(new Error('Execution context was destroyed'));
    await up();
    lifecycle.onPageReloaded();
    await up();
    await eventually(() => expect(acks).toEqual([['a', 3]]));
  });
});

describe('missed messages are reported before live ones', () => {
  it('after a reload of the page', async () => {
    const { lifecycle, held, reported, up } = session();
    await up();
    lifecycle.onPageReloaded();
    held.push('missed');
    lifecycle.onMessage(model('live'));
    await up();
    expect(reported).toEqual(['authenticating', 'ready', 'connection_lost', 'ready', 'missed', 'live']);
  });

  it('after a loss of the connection', async () => {
    const { lifecycle, held, reported, up } = session();
    await up();
    lifecycle.onSocketState('TIMEOUT');
    held.push('missed');
    lifecycle.onMessage(model('live'));
    await up();
    expect(reported).toEqual(['authenticating', 'ready', 'connection_lost', 'ready', 'missed', 'live']);
  });
});

it('a session whose page cannot list its messages is ready, reports live ones, and logs the failure', async () => {
  const { lifecycle, reported, log, page, up } = session();
  page.inboundSince = () => Promise.reject(new Error('a message without an id'));
  await up();
  lifecycle.onMessage(model('live'));
  expect(reported).toEqual(['authenticating', 'ready', 'live']);
  expect(log).toHaveBeenCalledWith('warn', 'catching up with missed messages failed', {
    error: 'a message without an id',
  });
});

it('an unreadable message or ack is logged without its content', async () => {
  const { lifecycle, log, reported, up } = session();
  await up();
  const secret = '12025550177';
  for (const [field, value] of Object.entries({ t: secret, mentionedIds: secret, isStatus: secret, from: { secret } }))
    lifecycle.onMessage({ ...model(`true_${secret}@c.us_3EB0`), body: secret, [field]: value });
  lifecycle.onAck(`true_${secret}@c.us_3EB0`, Number.NaN);
  expect(reported).toEqual(['authenticating', 'ready']);
  const lines = log.mock.calls.map(([, ...line]) => JSON.stringify(line));
  expect(lines.filter((line) => line.includes('message discarded'))).toHaveLength(4);
  expect(lines.filter((line) => line.includes('ack discarded'))).toHaveLength(1);
  expect(lines.join()).toMatch(/mentionedIds/);
  expect(lines.join()).not.toContain(secret);
});

it('an ack is only reported with a valid id and number', async () => {
  const { lifecycle, log, reported, up } = session();
  await up();
  const others: unknown[] = [null, undefined, true, [1], ['true_1@c.us_A'], {}, { toString: 1, valueOf: 1 }];
  for (const ack of [...others, '1']) lifecycle.onAck('true_1@c.us_A', ack);
  for (const id of [...others, 1]) lifecycle.onAck(id, 1);
  expect(reported).toEqual(['authenticating', 'ready']);
  expect(log.mock.calls.filter(([, event]) => event === 'ack discarded')).toHaveLength(2 * (others.length + 1));
  lifecycle.onAck('true_1@c.us_A', 1);
  expect(reported).toEqual(['authenticating', 'ready', 'message_ack']);
});
