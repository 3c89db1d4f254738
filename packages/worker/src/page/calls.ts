import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/**
 * Rejects a call as the page's own button does, and waits until it rings no more there. `no_engine`: this page cannot
 * take calls; a rejection that is sent without its engine does not end the call.
 */
export async function rejectCall(callId: string, settleMs: number): Promise<'ok' | 'no_call' | 'no_engine' | 'rings'> {
  const tools = window.chatWebTools;
  const calls = tools.optional('WAWebCallCollection');
  const active = calls?.activeCall;
  // Without the engine, a call that rings is among those inside.
  const call = active?.id === callId ? active : calls?.get?.(callId);
  if (!call || !tools.rings(call)) return 'no_call';
  const engine = await tools.optional('WAWebVoipStackInterface')?.getVoipStackInterface?.();
  // It takes no id: it rejects the active one.
  if (call !== active || !engine?.rejectCall) return 'no_engine';
  // The log of the page then says that it was rejected, not missed.
  call.userEndedCall = true;
  const late = new Promise((resolve) => setTimeout(resolve, settleMs));
  await Promise.race([engine.rejectCall(), late]);
  const isOver = () => calls?.activeCall !== call || !tools.rings(call);
  return (await tools.holds(isOver, settleMs)) ? 'ok' : 'rings';
}
