import { sendText } from '@chat-web/host';
import { ADA, BEN, eventually, figure, pace, rounds, startsOf, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const ROUNDS = rounds({ few: 15, all: 100 });
const KINDS = ['pushState', 'iframe', 'sync', 'reload'] as const;
const MAX_GAP_MS = 250;
const MESSAGES = 20;

describe('a storm of pushStates, iframes, syncs and reloads', () => {
  it('ends no worker, and neither loses nor duplicates a message, during it and after it', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    const workers = workersOf(stack.gateway.pid);
    expect(workers).toHaveLength(1);
    // A page between two documents does not receive commands.
    const disturb = (kind: (typeof KINDS)[number]) => eventually(() => stack.disturb(ADA, kind));

    const during: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const kind of KINDS) await disturb(kind);
      if (round % (ROUNDS / MESSAGES) === 0) {
        during.push(`during ${round}`);
        await stack.phones.send(BEN, { to: ADA, body: `during ${round}` });
      }
      await pace(Math.random() * MAX_GAP_MS);
    }

    await stack.untilStatus('main', 'ready');
    const after = Array.from({ length: MESSAGES }, (_, n) => `after ${n}`);
    for (const body of after) await stack.phones.send(BEN, { to: ADA, body });
    await eventually(() => {
      expect(events.all('message').map(({ body }) => body)).toEqual(expect.arrayContaining([...during, ...after]));
    });
    const sent: string[] = [];
    for (const body of after) {
      sent.push((await sendText(stack.client, { id: 'main', type: 'text', to: BEN, body })).id);
    }
    await stack.settled();

    const received = events.all('message').map(({ body }) => body);
    const duplicates = received.length - new Set(received).size;
    // An inbound message is emitted once with any number of listeners. Acks show how many listeners there are.
    const acks = events.all('message_ack').filter(({ id }) => sent.includes(id));
    const doubleAcks = acks.length - new Set(acks.map(({ id, ack }) => `${id} ${ack}`)).size;
    const exits = startsOf('main', stack.gateway.log).length - 1;
    figure(
      'navigation storm',
      `${ROUNDS} of ${KINDS.join(', ')} each: ${exits} exits, ${duplicates + doubleAcks} duplicates; ${received.length} of ${2 * MESSAGES} messages delivered`,
    );
    expect(workersOf(stack.gateway.pid)).toEqual(workers);
    expect(exits).toBe(0);
    expect(duplicates + doubleAcks).toBe(0);
    expect(acks.length).toBeGreaterThanOrEqual(sent.length);
    expect(received.slice(-MESSAGES)).toEqual(after);
    expect([...received].sort()).toEqual([...during, ...after].sort());
  });
});
