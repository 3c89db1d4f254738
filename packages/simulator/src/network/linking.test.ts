import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ServerEvent } from '../page/wire.ts';
import { Timers } from '../timers.ts';
import { sync } from './linking.ts';
import type { Connection, Device } from './records.ts';

const timers = new Timers();
let events: (number | string)[];
let device: Device;

const connection: Connection = {
  send: (event: ServerEvent) => events.push(event.type === 'progress' ? event.percent : event.type),
  drop: () => undefined,
};

beforeEach(() => {
  vi.useFakeTimers();
  events = [];
  device = {
    id: 'd',
    secret: 's',
    name: 'A device',
    linkedAt: new Date(),
    keys: 0,
    connection,
    onboarded: true,
    synced: false,
    presence: 'unavailable',
    waiting: new Set(),
  };
});

afterEach(() => timers.clear());

const run = (settings: { syncSteps: number; syncStallAt: number | null }) => {
  sync(device, connection, { syncDelayMs: 1000, ...settings }, timers);
  vi.advanceTimersByTime(2000);
};

it('is complete at once without steps, and ends in time', () => {
  run({ syncSteps: 0, syncStallAt: null });
  expect([events, device.synced]).toEqual([[100, 'synced'], true]);
});

it('moves in equal steps', () => {
  run({ syncSteps: 4, syncStallAt: null });
  expect(events).toEqual([25, 50, 75, 100, 'synced']);
});

it('stops forever if a first sync is set to stall', () => {
  run({ syncSteps: 4, syncStallAt: 60 });
  expect([events, device.synced]).toEqual([[25, 50, 60], false]);
  events = [];
  run({ syncSteps: 0, syncStallAt: 60 });
  expect(events).toEqual([60]);
  device.synced = true;
  events = [];
  run({ syncSteps: 0, syncStallAt: 60 });
  expect(events).toEqual([100, 'synced']);
});

it('sends nothing to a page that has disconnected', () => {
  sync(device, connection, { syncDelayMs: 1000, syncSteps: 2, syncStallAt: null }, timers);
  device.connection = undefined;
  vi.advanceTimersByTime(2000);
  expect([events, device.synced]).toEqual([[], false]);
});
