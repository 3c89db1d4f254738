import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ServerEvent } from '../page/wire.ts';
import { Timers } from '../timers.ts';
import type { Device, Line } from './records.ts';
import { sync } from './sync.ts';

const timers = new Timers();
let heard: (number | string)[];
let device: Device;

const line: Line = {
  send: (event: ServerEvent) => heard.push(event.type === 'progress' ? event.percent : event.type),
  drop: () => undefined,
};

beforeEach(() => {
  vi.useFakeTimers();
  heard = [];
  device = {
    id: 'd',
    secret: 's',
    linkedAt: new Date(),
    keys: 0,
    line,
    onboarded: true,
    synced: false,
    presence: 'unavailable',
    waiting: new Set(),
  };
});

afterEach(() => {
  timers.clear();
  vi.useRealTimers();
});

const run = (settings: { syncSteps: number; syncStallAt: number | null }) => {
  sync(device, line, { syncDelayMs: 1000, ...settings }, timers);
  vi.advanceTimersByTime(2000);
};

it('is all there at once without steps, and over in time', () => {
  run({ syncSteps: 0, syncStallAt: null });
  expect([heard, device.synced]).toEqual([[100, 'synced'], true]);
});

it('moves in equal steps', () => {
  run({ syncSteps: 4, syncStallAt: null });
  expect(heard).toEqual([25, 50, 75, 100, 'synced']);
});

it('stops for ever where a first sync is to stall', () => {
  run({ syncSteps: 4, syncStallAt: 60 });
  expect([heard, device.synced]).toEqual([[25, 50, 60], false]);
  heard = [];
  run({ syncSteps: 0, syncStallAt: 60 });
  expect(heard).toEqual([60]);
  device.synced = true;
  heard = [];
  run({ syncSteps: 0, syncStallAt: 60 });
  expect(heard).toEqual([100, 'synced']);
});

it('says nothing to a page that is not there any more', () => {
  sync(device, line, { syncDelayMs: 1000, syncSteps: 2, syncStallAt: null }, timers);
  device.line = undefined;
  vi.advanceTimersByTime(2000);
  expect([heard, device.synced]).toEqual([[], false]);
});
