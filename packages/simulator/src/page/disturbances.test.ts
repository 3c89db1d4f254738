import { beforeEach, expect, it, vi } from 'vitest';
import { disturb } from './disturbances.ts';
import { createMsg } from './message-conversion.ts';
import { socket } from './models/conn.ts';
import { messages } from './models/message.ts';
import type { WireMessage } from './wire.ts';

const mb = 2 ** 20;
const actions = { logOut: () => undefined, breakModules: () => undefined };

beforeEach(() => void vi.useFakeTimers());

it('a deaf page collects messages, and does not call earlier listeners', () => {
  const events: string[] = [];
  for (const event of ['add', 'change', 'change:ack']) messages.on(event, () => events.push(event));
  const message = { id: '3EB0', type: 'chat', body: 'x', t: 1, ack: 0, fromMe: true, reactions: [] };
  const chat = { chat: '12025550102@c.us', from: '12025550101@c.us', to: '12025550102@c.us' };
  disturb({ kind: 'deaf' }, actions);
  messages.add(createMsg({ ...message, ...chat } as WireMessage, true)).updateAck(1);
  expect([messages.length, events]).toEqual([1, []]);
  messages.on('add', () => events.push('later'));
  messages.add(createMsg({ ...message, ...chat, id: '3EB1' } as WireMessage, true));
  expect(events).toEqual(['later']);
});

it('a blocked page does nothing else for that long', () => {
  vi.useRealTimers();
  const start = performance.now();
  disturb({ kind: 'block', ms: 50 }, actions);
  expect(performance.now() - start).toBeGreaterThanOrEqual(50);
});

/**
 * How much memory of random bytes is allocated from now on, in MB; the figures of the process also count unrelated
 * garbage.
 */
function randomMb(): () => number {
  const fill = vi.spyOn(crypto, 'getRandomValues');
  return () => fill.mock.calls.reduce((sum, [bytes]) => sum + (bytes?.byteLength ?? 0), 0) / mb;
}

it('a leaking page allocates memory at its rate, in any number of steps', () => {
  const taken = randomMb();
  disturb({ kind: 'leak', mbPerSecond: 20 }, actions);
  vi.advanceTimersByTime(1000);
  expect(taken()).toBeCloseTo(20, 0);
});

it('a growing page allocates its memory at once', () => {
  const taken = randomMb();
  disturb({ kind: 'grow', mb: 256 }, actions);
  expect(taken()).toBe(256);
});

it('a state stays until another one is set', () => {
  disturb({ kind: 'state', state: 'TOS_BLOCK' }, actions);
  expect(socket.get('state')).toBe('TOS_BLOCK');
  socket.set({ state: 'CONNECTED' });
  expect(socket.get('state')).toBe('CONNECTED');
});
