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
  await expect(rejectCall('A2', 10)).rejects.toMatchObject({ code: 'call_not_found' });
  await rejectCall('A1', 10);
});

it('may keep ringing, even if the engine does not answer', async () => {
  page({ rejectCall: async () => {} });
  await expect(rejectCall('A1', 10)).rejects.toMatchObject({ code: 'outcome_unknown' });
  page({ rejectCall: () => new Promise(() => {}) });
  await expect(rejectCall('A1', 10)).rejects.toMatchObject({ code: 'outcome_unknown' });
});

it('may be over or replaced once the engine is loaded, which may take too long', async () => {
  const rejected = vi.fn(async () => {});
  const calls = page({ rejectCall: rejected });
  const outcome = rejectCall('A1', 10);
  calls.activeCall = { id: 'A2', peerJid: '2@c.us' };
  await expect(outcome).rejects.toMatchObject({ code: 'call_not_found' });
  expect(rejected).not.toHaveBeenCalled();
  page(new Promise(() => {}));
  await expect(rejectCall('A1', 10)).rejects.toMatchObject({ code: 'outcome_unknown' });
});

it('cannot be rejected without an engine, or if the engine has another call', async () => {
  for (const engine of [undefined, null]) {
    page(engine);
    await expect(rejectCall('A1', 10)).rejects.toMatchObject({ code: 'page_unsupported' });
  }
  page({ rejectCall: async () => {} }, false);
  await expect(rejectCall('A1', 10)).rejects.toMatchObject({ code: 'page_unsupported' });
});
