import type { SimulatorSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import type { Device, Line } from './records.ts';

type SyncSettings = Pick<SimulatorSettings, 'syncDelayMs' | 'syncSteps' | 'syncStallAt'>;

/** Lets a device that has logged in sync: its progress moves in steps, and may stop forever if it is its first sync. */
export function sync(device: Device, line: Line, settings: SyncSettings, timers: Timers): void {
  const { syncDelayMs, syncSteps } = settings;
  const end = device.synced ? 100 : (settings.syncStallAt ?? 100);
  const report = (percent: number) => {
    if (device.line === line) line.send({ type: 'progress', percent: Math.min(percent, end) });
  };
  if (syncSteps === 0) report(100);
  for (let step = 1; step <= syncSteps; step += 1) {
    const percent = (100 * step) / syncSteps;
    // One step past the end completes it; more steps would repeat it.
    if (percent - 100 / syncSteps >= end) break;
    timers.after((syncDelayMs * step) / syncSteps, () => report(percent));
  }
  if (end < 100) return;
  timers.after(syncDelayMs, () => {
    if (device.line !== line) return;
    device.synced = true;
    line.send({ type: 'synced' });
  });
}
