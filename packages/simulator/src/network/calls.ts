import type { CallDraft, CallEnd } from '../control/inputs.ts';
import { SimulatorError } from '../errors.ts';
import { chatIdOf, notifyDevices } from './account.ts';
import { createMessageId } from './message.ts';
import { deviceView } from './message-views.ts';
import type { Network } from './network.ts';
import { type AccountRecord, Message } from './records.ts';

/** The phone of an account calls another, whose pages ring. */
export function ring(
  network: Network,
  caller: AccountRecord,
  { to, video = false, ...draft }: CallDraft,
): { id: string } {
  const called = requirePerson(network, caller, to);
  const id = draft.id ?? createMessageId(caller);
  // The page has it in its log from the first ring.
  const entry = deviceView(callLogEntry(caller, called, { id, video, outcome: 'Ongoing' }), called);
  called.ringing = { caller, call: { id, from: chatIdOf(caller), isVideo: video, entry } };
  notifyDevices(called, { type: 'call', call: called.ringing.call });
  return { id };
}

/** Ends the call: the log of the pages gets its outcome, under its id. */
export function hangUp(network: Network, caller: AccountRecord, { to, id, video = false, outcome }: CallEnd): void {
  const called = requirePerson(network, caller, to);
  if (called.ringing?.call.id === id) {
    called.ringing = undefined;
    notifyDevices(called, { type: 'call', call: null });
  }
  network.delivery.deliver(callLogEntry(caller, called, { id, video, outcome }), called);
}

function callLogEntry(
  caller: AccountRecord,
  called: AccountRecord,
  { id, video, outcome }: { readonly id: string; readonly video: boolean; readonly outcome: string },
): Message {
  const call = { callOutcome: outcome, isVideoCall: video, callCreator: chatIdOf(caller), callParticipants: [] };
  const fields = { viewMode: 'VISIBLE', kind: 'callLog', ...call };
  return new Message({ id, from: caller, to: called, type: 'call_log', fields, isQuiet: true });
}

export function reject(network: Network, called: AccountRecord, id: string): void {
  const { ringing } = called;
  if (ringing?.call.id !== id) throw new SimulatorError(404, `id: no call ${id} rings`);
  const { caller, call } = ringing;
  hangUp(network, caller, { to: called.number, id, video: call.isVideo, outcome: 'Rejected' });
}

function requirePerson(network: Network, caller: AccountRecord, to: string): AccountRecord {
  const peer = network.peer(to, caller, 'to');
  if (peer.kind === 'person') return peer;
  throw new SimulatorError(400, 'to: must be a person');
}
