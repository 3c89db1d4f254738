import { delay } from './delay.ts';
import { rings } from './tools/changes.ts';
import { holds } from './tools/chats.ts';
import { optional } from './tools/identities.ts';

/**
 * Rejects a call as the page's own button does, and waits until it stops ringing in the page. `no_engine`: this page
 * cannot take calls; a rejection without its engine does not end the call.
 */
export async function rejectCall(callId: string, settleMs: number): Promise<'ok' | 'no_call' | 'no_engine' | 'rings'> {
  const calls = optional('WAWebCallCollection');
  const active = calls?.activeCall;
  // Without the engine, a ringing call is only in the collection.
  const call = active?.id === callId ? active : calls?.get?.(callId);
  if (!call || !rings(call)) return 'no_call';
  const isOver = () => calls?.activeCall !== call || !rings(call);
  const late = delay(settleMs);
  const loading = call === active ? optional('WAWebVoipStackInterface')?.getVoipStackInterface?.() : undefined;
  const engine = await Promise.race([loading, late.then(() => 'late' as const)]);
  // `rejectCall` takes no id: it rejects the active call, which may be another one by now.
  if (call === active && isOver()) return 'no_call';
  if (engine === 'late') return 'rings';
  if (!engine?.rejectCall) return 'no_engine';
  try {
    call.userEndedCall = true; // Makes the page log the call as rejected, not missed.
  } catch {
    // This build freezes its models.
  }
  await Promise.race([engine.rejectCall(), late]);
  return (await holds(isOver, settleMs)) ? 'ok' : 'rings';
}
