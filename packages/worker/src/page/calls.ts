import { holds, within } from './delay.ts';
import { Refusal } from './refusal.ts';
import { rings } from './tools/changes.ts';
import { optional } from './tools/identities.ts';

/**
 * Rejects a call as the page's own button does, and waits until it stops ringing in the page. A page without a call
 * engine cannot: a rejection without it does not end the call.
 */
export async function rejectCall(callId: string, settleMs: number): Promise<void> {
  const calls = optional('WAWebCallCollection');
  const active = calls?.activeCall;
  // Without the engine, a ringing call is only in the collection.
  const call = active?.id === callId ? active : calls?.get?.(callId);
  if (!call || !rings(call)) throw noCall();
  const isOver = () => calls?.activeCall !== call || !rings(call);
  const deadline = Date.now() + settleMs;
  const loading = call === active ? optional('WAWebVoipStackInterface')?.getVoipStackInterface?.() : undefined;
  const engine = await within(loading, settleMs, 'late');
  // `rejectCall` takes no id: it rejects the active call, which may be another one by now.
  if (call === active && isOver()) throw noCall();
  if (engine === 'late') throw stillRings();
  if (!engine?.rejectCall)
    throw new Refusal('page_unsupported', 'the page of this account cannot take calls: reject it on the phone');
  try {
    call.userEndedCall = true; // Makes the page log the call as rejected, not missed.
  } catch {
    // This build freezes its models.
  }
  await within(engine.rejectCall(), deadline - Date.now());
  if (!(await holds(isOver, settleMs))) throw stillRings();
}

function noCall() {
  return new Refusal('call_not_found', 'no call with this id is ringing');
}

function stillRings() {
  return new Refusal('outcome_unknown', 'the page was asked to reject the call, but it is still ringing there');
}
