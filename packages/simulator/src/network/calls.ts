import type { CallDraft, CallEnd } from '../control/inputs.ts';
import { SimulatorError } from '../simulator-error.ts';
import { chatIdOf, notifyDevices } from './account.ts';
import { createMessage, createMessageId } from './message.ts';
import { deviceView } from './message-views.ts';
import type { Network } from './network.ts';
import type { AccountRecord, Message } from './records.ts';

/** The phone of an account calls another, whose pages ring. */
export function ring(
  network: Network,
  caller: AccountRecord,
  { to, video = false, ...draft }: CallDraft,
): { id: string } {
  const called = personOf(network, caller, to);
  const id = draft.id ?? createMessageId(caller);
  // The page has it in its log from the first ring.
  const entry = deviceView(entryOf(caller, called, { id, video, outcome: 'Ongoing' }), called);
  called.ringing = { caller, call: { id, from: chatIdOf(caller), isVideo: video, entry } };
  notifyDevices(called, { type: 'call', call: called.ringing.call });
  return { id };
}

/** Ends the call: the log of the pages gets its outcome, under its id. */
export function hangUp(network: Network, caller: AccountRecord, { to, id, video = false, outcome }: CallEnd): void {
  const called = personOf(network, caller, to);
  if (called.ringing?.call.id === id) called.ringing = undefined;
  notifyDevices(called, { type: 'call', call: null });
  network.postOffice.deliver(entryOf(caller, called, { id, video, outcome }), called);
}

function entryOf(
  caller: AccountRecord,
  called: AccountRecord,
  { id, video, outcome }: { readonly id: string; readonly video: boolean; readonly outcome: string },
): Message {
  const call = { callOutcome: outcome, isVideoCall: video, callCreator: chatIdOf(caller), callParticipants: [] };
  const fields = { viewMode: 'VISIBLE', kind: 'callLog', ...call };
  return { ...createMessage({ id, from: caller, to: called, type: 'call_log', fields }), isQuiet: true };
}

/** A page of the person who is called rejects it. */
export function reject(network: Network, called: AccountRecord, id: string): void {
  const { ringing } = called;
  if (ringing?.call.id !== id) throw new SimulatorError(404, `id: no call ${id} rings`);
  const { caller, call } = ringing;
  hangUp(network, caller, { to: called.number, id, video: call.isVideo, outcome: 'Rejected' });
}

function personOf(network: Network, caller: AccountRecord, to: string): AccountRecord {
  const party = network.party(to, caller, 'to');
  if (party.kind === 'person') return party;
  throw new SimulatorError(400, 'to: must be a person');
}
