import * as v from 'valibot';
import { ACCOUNT_EVENTS, accountEventData } from './account-events.ts';
import { reason } from './reasons.ts';
import { accountLimit, ack, message, pairingCode, pngDataUrl, sessionInfo, sessionView } from './resources.ts';

/** Why events with ids are missing. */
export const GAP_REASONS = ['expired', 'damaged', 'unknown_position'] as const;

/** The data of each event of a session's stream, by name. */
export const eventData = {
  qr: pngDataUrl,
  /** A code was requested or renewed: it replaces the previous one, and the QR. */
  pairing_code: pairingCode,
  ready: v.pick(sessionInfo, ['pushname', 'wid', 'phone']),
  /** The page asks for the passkey of the account, which only its owner has. `message` says what to do. */
  passkey_required: v.object({ message: v.string() }),
  message,
  message_ack: v.object({ id: v.string(), ack }),
  /** `message`: the reason as a sentence. */
  disconnected: v.object({ reason, message: v.string() }),
  /** Published when one of these fields changes, as `GET …/status` returns them. */
  status: v.pick(sessionView, ['status', 'reason', 'message', 'restarts', 'nextAttemptAt']),
  /** WhatsApp's limits on the account have changed, as `GET …/status` returns them. */
  limits: v.object({ limits: v.array(accountLimit) }),
  gap: v.variant('reason', [
    /** Between these times, in ISO 8601, messages were not recovered, or events other than messages were not stored. */
    v.object({ reason: v.picklist(['not_loaded', 'not_stored']), from: v.string(), to: v.string() }),
    /**
     * Events after the id `from` up to the id `to` are missing: deleted because of age or size, unreadable, or of an id
     * that this gateway did not issue. Null: unknown.
     */
    v.object({
      reason: v.picklist(GAP_REASONS),
      from: v.nullable(v.string()),
      to: v.nullable(v.string()),
    }),
  ]),
  ...accountEventData,
} as const;

export type EventName = keyof typeof eventData;
export const EVENT_NAMES = Object.keys(eventData) as EventName[];
/** False for an event that only another version knows. */
export function isEventName(name: string): name is EventName {
  return Object.hasOwn(eventData, name);
}
/** Events that give access to an account: only keys that may link sessions see them, and they are never stored. */
export const SECRET_EVENTS: readonly EventName[] = ['qr', 'pairing_code'];
/** Events that a reader gets only by naming them. */
export const OPT_IN_EVENTS: readonly EventName[] = ['status', 'limits', ...ACCOUNT_EVENTS];
/** The events of a reader that names none. */
export const DEFAULT_EVENTS: readonly EventName[] = EVENT_NAMES.filter((name) => !OPT_IN_EVENTS.includes(name));
export type EventData<N extends EventName> = v.InferOutput<(typeof eventData)[N]>;

export type SessionEvent = { [N in EventName]: { readonly name: N; readonly data: EventData<N> } }[EventName];
