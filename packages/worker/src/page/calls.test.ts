import { expect, it, vi } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { rejectCall } from './calls.ts';

interface Engine {
  rejectCall(): Promise<unknown>;
}

/** A page with a ringing call, and this engine to reject it. */
function page(engine: Engine | Promise<Engine> | null | undefined, isActive = true) {
  const call = { id: 'A1', peerJid: '2@c.us' };
  const activeCall: typeof call | null = isActive ? call : null;
  const calls = { activeCall, get: (id: string) => (id === call.id ? call : undefined) };
  stubPage({
    WAWebCallCollection: calls,
    ...(engine !== undefined && { WAWebVoipStackInterface: { getVoipStackInterface: async () => engine } }),
  });
  return calls;
}

it('is over once the page no longer shows it', async () => {
  const calls = page({
    rejectCall: async () => {
      calls.activeCall = null;
    },
  });
  expect(await rejectCall('A2', 10)).toBe('no_call');
  expect(await rejectCall('A1', 10)).toBe('ok');
});

it('may keep ringing, even if the engine does not answer', async () => {
  page({ rejectCall: async () => {} });
  expect(await rejectCall('A1', 10)).toBe('rings');
  page({ rejectCall: () => new Promise(() => {}) });
  expect(await rejectCall('A1', 10)).toBe('rings');
});

it('may be over or replaced once the engine is loaded, which may take too long', async () => {
  const rejected = vi.fn(async () => {});
  const calls = page({ rejectCall: rejected });
  const outcome = rejectCall('A1', 10);
  calls.activeCall = { id: 'A2', peerJid: '2@c.us' };
  expect(await outcome).toBe('no_call');
  expect(rejected).not.toHaveBeenCalled();
  page(new Promise(() => {}));
  expect(await rejectCall('A1', 10)).toBe('rings');
});

it('cannot be rejected without an engine, or if the engine has another call', async () => {
  for (const engine of [undefined, null]) {
    page(engine);
    expect(await rejectCall('A1', 10)).toBe('no_engine');
  }
  page({ rejectCall: async () => {} }, false);
  expect(await rejectCall('A1', 10)).toBe('no_engine');
});
