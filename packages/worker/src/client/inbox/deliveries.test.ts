import type { OpenAck, WorkerEvent } from '@chat-web/protocol';
import { describe, expect, it, vi } from 'vitest';
import { messageModel, runOf } from '../../testing/fake-page.ts';
import { Deliveries } from './deliveries.ts';

const NOW = 1_800_000_000;

const model = (id: string) => messageModel({ id, fromMe: false, from: 'a@c.us', body: id, t: NOW });

/** The deliveries of a page that has these acks. */
function deliveriesOf(openAcks: readonly OpenAck[] = [], acksInPage: Readonly<Record<string, unknown>> = {}) {
  const held: string[] = [];
  const reported: string[] = [];
  const acks: unknown[] = [];
  const report = (event: WorkerEvent) => {
    if (event.name === 'message_ack') acks.push([event.id, event.ack]);
    else if (event.name !== 'caught_up') reported.push(event.name === 'message' ? event.message.id : event.name);
  };
  const log = vi.fn();
  const page = {
    loadSince: async () => ({ loaded: 0, incompleteChats: 0 }),
    inboundSince: async () => held.map((id) => ({ id, isNew: true })),
    messageModels: async (ids: readonly string[]) => ids.map(model),
    changesSince: async () => [],
    acksOf: vi.fn(async (ids: readonly string[]) =>
      ids.flatMap((id) => (id in acksInPage ? [{ id, ack: acksInPage[id] }] : [])),
    ),
    acksSince: vi.fn(async (): Promise<unknown[]> => []),
  };
  const past = { deliveredUntil: NOW, withoutContent: [], linkedAt: 0, openAcks };
  const deliveries = new Deliveries({ report, run: runOf(page), log, ...past });
  return { deliveries, held, reported, acks, log, page };
}

describe('acks that increased while nothing listened', () => {
  it('are reported once', async () => {
    const known = Array.from({ length: 120 }, (_, n): OpenAck => ({ id: `${n}`, ack: 1 }));
    const { deliveries, acks, page } = deliveriesOf(known, { 3: 2, 7: 1, 60: 0, 70: 'x', 110: 3, 119: -1 });
    await deliveries.catchUp();
    expect(acks).toEqual([
      ['3', 2],
      ['110', 3],
      ['119', -1],
    ]);
    await deliveries.catchUp();
    expect(page.acksOf).toHaveBeenCalledTimes(3);
  });

  it('are also reported for unknown messages', async () => {
    const { deliveries, acks, page } = deliveriesOf();
    page.acksSince.mockResolvedValue([
      { id: 'a', ack: 1 },
      { id: 'b', ack: 'x' },
    ]);
    await deliveries.catchUp();
    expect(acks).toEqual([['a', 1]]);
  });

  it('are reported by the next catch-up if the page is gone meanwhile', async () => {
    const { deliveries, acks, page } = deliveriesOf([{ id: 'a', ack: 1 }], { a: 3 });
    page.acksOf.mockRejectedValueOnce(new Error('Execution context was destroyed'));
    await deliveries.catchUp();
    page.acksOf.mockImplementationOnce(async () => {
      deliveries.pause();
      return [{ id: 'a', ack: 2 }];
    });
    await deliveries.catchUp();
    expect(acks).toEqual([]);
    await deliveries.catchUp();
    expect(acks).toEqual([['a', 3]]);
  });
});

it('missed messages are delivered before live ones', async () => {
  const { deliveries, held, reported } = deliveriesOf();
  await deliveries.catchUp();
  deliveries.pause();
  held.push('missed');
  deliveries.onSignal({ is: 'message', model: model('live') });
  expect(reported).toEqual([]);
  await deliveries.catchUp();
  expect(reported).toEqual(['missed', 'live']);
});

it('a page that cannot list its messages delivers live ones, and the failure is logged', async () => {
  const { deliveries, reported, log, page } = deliveriesOf();
  page.inboundSince = () => Promise.reject(new Error('a message without an id'));
  await deliveries.catchUp();
  deliveries.onSignal({ is: 'message', model: model('live') });
  expect(reported).toEqual(['live']);
  expect(log).toHaveBeenCalledWith('warn', 'catching up with missed messages failed', {
    error: 'a message without an id',
  });
});

it('an unreadable message or ack is logged without its content', async () => {
  const { deliveries, log, reported } = deliveriesOf();
  await deliveries.catchUp();
  const secret = '12025550177';
  for (const [field, value] of Object.entries({ t: secret, mentionedIds: secret, isStatus: secret, from: { secret } }))
    deliveries.onSignal({
      is: 'message',
      model: { ...model(`true_${secret}@c.us_3EB0`), body: secret, [field]: value },
    });
  deliveries.onSignal({ is: 'ack', id: `true_${secret}@c.us_3EB0`, ack: Number.NaN });
  expect(reported).toEqual([]);
  const lines = log.mock.calls.map(([, ...line]) => JSON.stringify(line));
  expect(lines.filter((line) => line.includes('message discarded'))).toHaveLength(4);
  expect(lines.filter((line) => line.includes('ack discarded'))).toHaveLength(1);
  expect(lines.join()).toMatch(/mentionedIds/);
  expect(lines.join()).not.toContain(secret);
});

it('an ack is only reported with a valid id and number, and an own message with a valid id', () => {
  const { deliveries, log, reported, acks } = deliveriesOf();
  const others: unknown[] = [null, undefined, true, [1], ['true_1@c.us_A'], {}, { toString: 1, valueOf: 1 }];
  for (const ack of [...others, '1']) deliveries.onSignal({ is: 'ack', id: 'true_1@c.us_A', ack });
  for (const id of [...others, 1]) {
    deliveries.onSignal({ is: 'ack', id, ack: 1 });
    deliveries.onSignal({ is: 'own', id });
  }
  expect([reported, acks]).toEqual([[], []]);
  expect(log.mock.calls.filter(([, event]) => event === 'ack discarded')).toHaveLength(2 * (others.length + 1));
  deliveries.onSignal({ is: 'ack', id: 'true_1@c.us_A', ack: 1 });
  deliveries.onSignal({ is: 'own', id: 'true_1@c.us_A' });
  expect([reported, acks]).toEqual([['own_message'], [['true_1@c.us_A', 1]]]);
});

it('a catch-up goes no further once the page is gone, or the session has ended', async () => {
  for (const interrupt of ['pause', 'end'] as const) {
    const { deliveries, acks, page } = deliveriesOf([{ id: 'a', ack: 1 }], { a: 3 });
    page.changesSince = async () => {
      deliveries[interrupt]();
      return [];
    };
    await deliveries.catchUp();
    expect([acks, page.acksOf.mock.calls]).toEqual([[], []]);
  }
});

it('nothing is delivered after the end', async () => {
  const { deliveries, reported, log } = deliveriesOf();
  await deliveries.catchUp();
  deliveries.end();
  deliveries.onSignal({ is: 'message', model: model('late') });
  expect([reported, log.mock.calls]).toEqual([[], []]);
});
