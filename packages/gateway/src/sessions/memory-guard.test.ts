import { type ChildProcess, spawn } from 'node:child_process';
import { MB } from '@chat-web/protocol';
import { firstLineOf } from '@chat-web/testing';
import { afterEach, expect, it, vi } from 'vitest';
import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import { type GuardedSession, MemoryGuard } from './memory-guard.ts';
import { SessionStats } from './session-stats.ts';

const PROGRAM = `
  const held = [];
  process.stdin.on('data', (megabytes) => {
    held.push(Buffer.alloc(megabytes * ${MB}, 1));
    console.log('held');
  });
  console.log('up');`;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A session of one process, which allocates as much memory as requested. */
async function session(id: string) {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'ignore'] });
  started.push(child);
  await firstLineOf(child, child.stdout);
  const guarded = {
    id,
    phase: { status: 'ready' },
    workerPid: child.pid,
    pending: 1,
    stats: new SessionStats(),
    fail: vi.fn(),
    recycle: async () => false,
    up: async () => {},
  } satisfies GuardedSession as GuardedSession;
  const hold = async (megabytes: number) => {
    child.stdin.write(String(megabytes));
    await firstLineOf(child, child.stdout);
  };
  return { guarded, hold, heldMb: () => (guarded.stats.memory?.workerBytes ?? 0) / MB };
}

it('detects growth of a session after its last measurement, and ends only the one above the hard mark', async () => {
  const config = { memorySoftBytes: 5_000 * MB, memoryHardBytes: 400 * MB, memorySettleMs: 600_000 };
  const guard = new MemoryGuard(config as Config, { session: () => undefined }, createLog('silent').log);
  const [ada, ben] = [await session('ada'), await session('ben')];
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const check = () => guard.check([ada.guarded, ben.guarded]);
  await check();
  const emptyMb = ada.heldMb();

  await ada.hold(3);
  await check(); // The next measurement is not due yet.
  expect(ada.heldMb()).toBe(emptyMb);
  now += 30_000;
  await check();
  expect(ada.heldMb() - emptyMb).toBeGreaterThan(2.5);

  await ada.hold(100);
  now += 30_000;
  await check();
  expect(ada.heldMb() - emptyMb).toBeGreaterThan(102);
  expect(ada.heldMb() - emptyMb).toBeLessThan(115);

  await ada.hold(300);
  now += 30_000;
  await check();
  expect(ada.guarded.fail).toHaveBeenCalledExactlyOnceWith({
    reason: 'MEMORY_LIMIT',
    detail: expect.stringMatching(/^4\d\d MB, more than CHAT_WEB_MEMORY_HARD_MB \(400\)$/),
  });
  expect(ben.guarded.fail).not.toHaveBeenCalled();
  expect(ben.heldMb()).toBeLessThan(100);
});
